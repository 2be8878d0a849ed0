"""What ``import bicneuron`` offers, and what it costs."""

import importlib
import inspect
import re
import subprocess
import sys
from importlib.metadata import version

import pytest
from sklearn.base import clone

import bicneuron

SUBPACKAGES = [name for name in bicneuron.__all__ if inspect.ismodule(getattr(bicneuron, name))]
SEVERAL = [getattr(bicneuron, name) for name in SUBPACKAGES]
PUBLIC = {name: getattr(module, name) for module in SEVERAL for name in module.__all__}
ESTIMATORS = [
    PUBLIC[name]
    for name in (
        *("AdaptedBiclustering", "BicNeuronClassifier", "BicNeuronNetwork", "BiclusterFeatures"),
        *("BiclusterSelector", "ChengChurchBiclustering", "CoherentBiclustering"),
        *("ContrastBiclustering", "DiRAPOCCBiclustering", "DifferenceBiclustering"),
        *("InformationCoclustering", "KernelPerceptron", "OnlinePerceptron", "SDCBiclustering"),
        "SubgroupBiclustering",
    )
]
VALUES = [PUBLIC[name] for name in ("Axis", "Evidence", "Pattern", "TrainedNeuron")]
DISPLAYS = [getattr(bicneuron.inspection, name) for name in bicneuron.inspection.__all__]
INNER = ("explanation", "patterns")  # what one package takes from another
FUNCTIONS = [
    PUBLIC[name]
    for module in SEVERAL
    for name in module.__all__
    if inspect.isfunction(PUBLIC[name]) and not module.__name__.endswith(INNER)
]
HEAVY = {"sklearn", "numba", "pandas", "matplotlib", "scipy", "numpy", "joblib"}


def run(code):
    """What a fresh interpreter prints; it finds the package where this one does."""
    paths = f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", paths + code], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


# --- names


def test_every_name_resolves():
    for name in bicneuron.__all__:
        assert getattr(bicneuron, name).__name__.rpartition(".")[2] == name
    assert set(bicneuron.__all__) <= set(dir(bicneuron))
    assert bicneuron.__version__ == version("bicneuron")


@pytest.mark.parametrize("name", SUBPACKAGES)
def test_every_name_of_a_subpackage_resolves(name):
    module = importlib.import_module(f"bicneuron.{name}")
    assert module is getattr(bicneuron, name)
    assert sorted(module.__all__) == module.__all__
    assert all(hasattr(module, public) for public in module.__all__)
    assert inspect.getdoc(module)


# --- laziness


@pytest.mark.parametrize(
    ("name", "is_heavy"),
    [("__version__", False), ("exceptions", False), ("inspection.SubgroupDisplay", True)],
)
def test_names_load_what_they_need_when_they_are_used(name, is_heavy):
    code = f"import bicneuron; bicneuron.{name}; "
    loaded = run(code + "print(*{name.partition('.')[0] for name in sys.modules})")
    assert ("sklearn" in loaded) == is_heavy
    assert "matplotlib" not in loaded, "it is asked for when something is drawn"
    assert is_heavy or not HEAVY & set(loaded)


def test_import_is_fast():
    """In time of the processor, which other processes do not take away."""
    start, end = "import time; start = time.process_time()", "print(time.process_time() - start)"
    (seconds,) = run(f"{start}; import bicneuron; {end}")
    assert float(seconds) < 0.2


# --- docstrings and constructors


def documented(obj):
    """(name, default) of the Parameters section; default is the text after ``default=``."""
    text = inspect.getdoc(obj).replace("\\\n", "")
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE
    )
    if section is None:  # nothing to give
        return
    for line in re.findall(r"^(\w[^\n]*? : [^\n]*)$", section[1], re.MULTILINE):
        names, _, kind = line.partition(" : ")
        default = re.search(r"default=(.+)$", kind)
        for name in names.split(", "):
            yield name, default and default[1].strip()


def signature(obj):
    return [
        (name, None if parameter.default is parameter.empty else parameter.default)
        for name, parameter in inspect.signature(obj).parameters.items()
    ]


def names(parameters):
    return [name for name, _ in parameters]


@pytest.mark.parametrize("obj", [*ESTIMATORS, *DISPLAYS, *FUNCTIONS], ids=lambda obj: obj.__name__)
def test_documented_parameters_are_those_of_the_signature_and_there_is_an_example(obj):
    assert ">>>" in inspect.getdoc(obj)
    told, true = list(documented(obj)), signature(obj)
    assert names(told) == names(true)
    for (name, text), (_, default) in zip(told, true, strict=True):
        if text is not None:
            assert eval(text) == default, name
        else:
            assert inspect.signature(obj).parameters[name].default is inspect.Parameter.empty, name


@pytest.mark.parametrize("value", VALUES, ids=lambda obj: obj.__name__)
def test_documented_parts_of_a_value_are_its_fields(value):
    assert names(documented(value)) == names(signature(value))


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda obj: obj.__name__)
def test_documented_attributes_exist_after_fit_and_not_before(estimator, one_factor):
    section = re.search(
        r"\nAttributes\n-+\n(.*?)\n\n\w+\n-+\n", inspect.getdoc(estimator), re.DOTALL
    )
    told = [
        name
        for line in re.findall(r"^(\w[^\n]*)$", section[1], re.MULTILINE)
        for name in line.partition(" : ")[0].split(", ")
    ]
    assert all(name.endswith("_") for name in told)
    unfitted = estimator()
    assert not any(name.endswith("_") for name in vars(unfitted))
    X, y = one_factor
    fitted = (
        estimator(search="prune").fit(X)
        if estimator is bicneuron.CoherentBiclustering
        else estimator().fit(X, y)
    )
    missing = [name for name in told if not hasattr(fitted, name)]
    assert set(missing) <= {"feature_names_in_", "estimators_"}
    public = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert public <= set(told)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda obj: obj.__name__)
def test_parameters_are_given_by_name(estimator):
    assert vars(clone(estimator())) == vars(estimator())
    with pytest.raises(TypeError, match="positional"):
        estimator(1, 2)  # the first of a classifier is its search
