"""The types that a model file may hold: building one only stores values and runs no other code."""

from collections.abc import Iterator
from typing import Any

from bicneuron.exceptions import ModelFileError

# Classes of each module.
_CLASSES = {
    "bicneuron.biclustering._additive": "ChengChurchBiclustering DifferenceBiclustering",
    "bicneuron.biclustering._coclustering": "AdaptedBiclustering InformationCoclustering",
    "bicneuron.biclustering._coexpression": "DiRAPOCCBiclustering SDCBiclustering",
    "bicneuron.biclustering._coherent": "CoherentBiclustering ContrastBiclustering",
    "bicneuron.biclustering._features": "BiclusterFeatures BiclusterSelector",
    "bicneuron.biclustering._subgroups._estimator": "SubgroupBiclustering",
    "bicneuron.biclustering._subgroups._given": "GivenSubgroups",
    "bicneuron.classifier._classifier": "BicNeuronClassifier",
    "bicneuron.network._network": "BicNeuronNetwork",
    "bicneuron.network._pattern_classifier": "PatternClassifier",
    "bicneuron.neurons._gaussian_neuron": "GaussianNeuron",
    "bicneuron.neurons._kernel_neuron": "KernelNeuron",
    "bicneuron.neurons._perceptrons": "KernelPerceptron OnlinePerceptron",
    "sklearn.cluster._bicluster": "SpectralBiclustering SpectralCoclustering",
    "sklearn.compose._column_transformer": "ColumnTransformer",
    "sklearn.decomposition._pca": "PCA",
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis",
    "sklearn.feature_selection._variance_threshold": "VarianceThreshold",
    "sklearn.impute._base": "SimpleImputer",
    "sklearn.linear_model._logistic": "LogisticRegression",
    "sklearn.linear_model._ridge": "RidgeClassifier",
    "sklearn.model_selection._split": "GroupKFold KFold StratifiedGroupKFold StratifiedKFold",
    "sklearn.naive_bayes": "GaussianNB",
    "sklearn.pipeline": "Pipeline",
    "sklearn.preprocessing._data": "MinMaxScaler QuantileTransformer RobustScaler StandardScaler",
    "sklearn.svm._classes": "LinearSVC",
}
_ESTIMATORS = {f"{module}.{one}" for module, names in _CLASSES.items() for one in names.split()}

_NUMBERS = {f"numpy.{name}" for name in ("bool", "bool_", "float32", "float64", "int32", "int64")}
_NUMBERS_AND_TEXT = {*_NUMBERS, "numpy.str_"}

# Types that each loader of skops may build.
TRUSTED = {
    "ObjectNode": {
        *_ESTIMATORS,
        "bicneuron.classifier._steps.FitDiagnostics",
        "bicneuron.patterns._pattern.TrainedNeuron",
        "bicneuron.significance._find_groups.Findings",
    },
    "ConstructorFromReduceNode": {"bicneuron.patterns._pattern.Pattern"},
    "TupleNode": {
        "builtins.tuple",
        "bicneuron._shared._scaling.Filling",
        "bicneuron._shared._scaling.RobustScaling",
        "bicneuron._shared._scaling.Scaling",
        "bicneuron._shared._scaling.SoftScaling",
        "bicneuron.biclustering._subgroups._aside.RowStructure",
        "bicneuron.biclustering._subgroups._aside.SetAside",
        "bicneuron.outcomes._effect.Effect",
        "bicneuron.patterns._pattern.Axis",
        "bicneuron.patterns._evidence.Evidence",
        "bicneuron.patterns._model.Fingerprint",
        "bicneuron.patterns._reference.Reference",
    },
    "ListNode": {"builtins.list"},
    "DictNode": {"builtins.dict"},
    # Types of the keys of a dict.
    "TypeNode": {f"builtins.{name}" for name in ("bool", "float", "int", "str")}
    | _NUMBERS_AND_TEXT,
    "JsonNode": {"builtins.str"},
    "NdArrayNode": {"numpy.ndarray", *_NUMBERS_AND_TEXT},
}
OLDEST_PROTOCOL = 2  # of skops; older ones check less, and the file chooses


def check_types(schema: Any) -> list[str]:
    """Return the types that a skops schema names, or refuse it; nothing is built or imported."""
    if type(schema.get("protocol")) is not int or schema["protocol"] < OLDEST_PROTOCOL:
        raise ModelFileError(f"has protocol {schema.get('protocol')!r} of skops; save it again.")
    named = set()
    for node in nodes_of(schema):
        name = f"{node.get('__module__')}.{node.get('__class__')}"
        if name not in TRUSTED.get(str(node["__loader__"]), ()):
            raise ModelFileError(
                f"holds {name} ({node['__loader__']}), which no model file may hold."
            )
        named.add(name)
    return sorted(named)


def nodes_of(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield all nodes of a skops schema, in the order in which they are written."""
    unseen = [schema]
    while unseen:
        part = unseen.pop()
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            part = list(part.values())
        if isinstance(part, list):
            unseen.extend(reversed(part))
