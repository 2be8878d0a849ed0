"""The models of the tables and their rivals, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from bicneuron.biclustering import CoherentBiclustering
from bicneuron.classifier import BicNeuronClassifier
from bicneuron.classifier._search import PRESETS
from bicneuron.network import BicNeuronNetwork
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron
from reproduction._protocols import CLEAN, GROUPED, PAPER, QUICK, FoldProtocol

Scale = Literal["all", "anchor", "minmax"]
WITHOUT_LEAKS = (CLEAN.name, GROUPED.name, QUICK.name)
# The paper found no pair on ionosphere with the cuts of its grid and used these instead.
IONOSPHERE_CUT_DISTANCES = (0.005, 0.01, 0.05)


@dataclass(frozen=True)
class Model:
    """A model by name."""

    name: str
    build: Callable[[FoldProtocol, str, int], Any]
    protocols: tuple[str, ...] = (PAPER.name, *WITHOUT_LEAKS)
    seed_name: str | None = None


def perceptron(protocol: FoldProtocol, dataset: str, seed: int) -> Any:
    """SP, the standard perceptron."""
    return _scaled(protocol, OnlinePerceptron(shuffle=protocol.shuffle, random_state=seed))


def kernel_perceptron(protocol: FoldProtocol, dataset: str, seed: int, *, kernel: str) -> Any:
    """KP, the kernel perceptron."""
    neuron = KernelPerceptron(kernel=kernel, shuffle=protocol.shuffle, random_state=seed)
    return _scaled(protocol, neuron)


def bicneuron(
    protocol: FoldProtocol,
    dataset: str,
    seed: int,
    *,
    neuron: Any,
    scale: Scale = "all",
    search: str = "grow",
    **miner: Any,
) -> Any:
    """BN, the paper's classifier with its grid; the last three choose a reading of its miner."""
    # The values and not the name of the preset, so that records show when it has changed.
    grid = {**PRESETS["paper"].grid, "miner__search": (search,)}
    grid["neuron"] = (clone(neuron).set_params(shuffle=protocol.shuffle),)
    if dataset == "ionosphere" and protocol.name == PAPER.name:
        grid["miner__cut_distance"] = IONOSPHERE_CUT_DISTANCES
    mined = CoherentBiclustering(**miner)
    return BicNeuronClassifier(search=grid, miner=mined, scale=scale, random_state=seed)


def best_bicneuron(protocol: FoldProtocol, dataset: str, seed: int, *, local: bool = False) -> Any:
    """BN_CV, the preset "best", or BN_LOCAL, that of local pairs."""
    if local:
        return BicNeuronClassifier(search="local", random_state=seed)
    best = PRESETS["best"]
    return BicNeuronClassifier(search=dict(best.grid), **best.fixed, random_state=seed)


def network(protocol: FoldProtocol, dataset: str, seed: int, **changes: Any) -> Any:
    """The network, with default or changed settings."""
    return BicNeuronNetwork(**changes, random_state=seed)


def rival(
    protocol: FoldProtocol, dataset: str, seed: int, *, estimator: Any, standardize: bool = False
) -> Any:
    """Build a seeded classifier of scikit-learn, on standardised columns if it needs them."""
    seeded = clone(estimator).set_params(random_state=seed)
    return make_pipeline(StandardScaler(), seeded) if standardize else seeded


def _scaled(protocol: FoldProtocol, neuron: Any) -> Any:
    return neuron if protocol.whole_scaling else make_pipeline(MinMaxScaler(), neuron)


def _rival(name: str, estimator: Any, standardize: bool = False) -> Model:
    build = partial(rival, estimator=estimator, standardize=standardize)
    return Model(name, build, protocols=WITHOUT_LEAKS)


PAPER_MODELS = (
    Model("SP", perceptron),
    Model("KP_L", partial(kernel_perceptron, kernel="linear")),
    Model("KP_RBF", partial(kernel_perceptron, kernel="rbf")),
    Model("BN", partial(bicneuron, neuron=OnlinePerceptron())),
    Model("BN_L", partial(bicneuron, neuron=KernelPerceptron(kernel="linear"))),
    Model("BN_RBF", partial(bicneuron, neuron=KernelPerceptron(kernel="rbf"))),
)
BEST_MODEL = Model("BN_CV", best_bicneuron, protocols=WITHOUT_LEAKS)
LOCAL_MODEL = Model("BN_LOCAL", partial(best_bicneuron, local=True), protocols=WITHOUT_LEAKS)
NETWORK_MODEL = Model("Network", network, protocols=WITHOUT_LEAKS)
RIVALS = (
    _rival("Perceptron", Perceptron(), standardize=True),
    _rival("LogisticRegression", LogisticRegression(max_iter=1000), standardize=True),
    _rival("SVC", SVC(), standardize=True),
    _rival("RandomForest", RandomForestClassifier(300)),
    _rival("HistGradientBoosting", HistGradientBoostingClassifier()),
)
MODELS = {
    model.name: model for model in (*PAPER_MODELS, BEST_MODEL, LOCAL_MODEL, NETWORK_MODEL, *RIVALS)
}
