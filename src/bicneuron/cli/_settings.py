"""``--set name=value``: parameters of a model by name, checked before any work is done."""

import ast
from collections.abc import Iterable
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from bicneuron.cli._messages import CommandError


def make_model(kind: str, settings: Iterable[str] | None, *, seed: int, n_jobs: int) -> Any:
    """Make a model with these settings, not yet fitted."""
    from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
    from bicneuron.network import BicNeuronNetwork, PatternClassifier

    make: Any = {
        "readable": PatternClassifier,
        "accurate": BicNeuronNetwork,
        "neuron": BicNeuronClassifier,
        "neuron-cv": BicNeuronClassifierCV,
    }[kind]
    return with_settings(make(random_state=seed, n_jobs=n_jobs), settings)


class Miner(StrEnum):
    """Values of --miner."""

    subgroups = "subgroups"
    pairs = "pairs"
    coherent = "coherent"
    contrast = "contrast"
    cheng_church = "cheng-church"
    differences = "differences"
    sdc = "sdc"
    di_rapocc = "di-rapocc"
    information = "information"
    spectral = "spectral"


MINERS = {
    Miner.subgroups: "SubgroupBiclustering",
    Miner.coherent: "CoherentBiclustering",
    Miner.contrast: "ContrastBiclustering",
    Miner.cheng_church: "ChengChurchBiclustering",
    Miner.differences: "DifferenceBiclustering",
    Miner.sdc: "SDCBiclustering",
    Miner.di_rapocc: "DiRAPOCCBiclustering",
    Miner.information: "InformationCoclustering",
    Miner.spectral: "AdaptedBiclustering",
}


def make_miner(miner: Miner, settings: Iterable[str] | None, *, seed: int, n_jobs: int) -> Any:
    """Make a miner with these settings, not yet fitted; of pairs, the classifier."""
    if miner is Miner.pairs:
        return make_model("neuron", settings, seed=seed, n_jobs=n_jobs)
    from sklearn.cluster import SpectralCoclustering

    from bicneuron import biclustering
    from bicneuron._shared._seed import seeded

    made = getattr(biclustering, MINERS[miner])(n_jobs=n_jobs)
    if miner is Miner.spectral:
        made.set_params(estimator=SpectralCoclustering())
    return with_settings(seeded(made, seed), settings)


def with_settings(model: Any, settings: Iterable[str] | None) -> Any:
    """Set the parameters of a model, and return it."""
    pairs = [_split(setting) for setting in settings or ()]
    # A component is set before its own parameters.
    for path, value in sorted(pairs, key=lambda pair: pair[0].count("__")):
        _set(model, path, value)
    return model


def _components() -> dict[str, Any]:
    """Miners, their estimators and neurons that can be named as values, by the names of classes."""
    from sklearn import cluster

    from bicneuron import biclustering, neurons

    names = {
        biclustering: MINERS.values(),
        cluster: ("SpectralBiclustering", "SpectralCoclustering"),
        neurons: ("KernelPerceptron", "OnlinePerceptron"),
    }
    return {name: getattr(module, name) for module in names for name in names[module]}


def _split(setting: str) -> tuple[str, Any]:
    name, sign, word = setting.partition("=")
    if not sign:
        raise CommandError(f"--set {setting}: write it as name=value.")
    return name.strip(), _value(word.strip())


def _value(word: str) -> Any:
    """A Python literal, a number such as inf, the name of a component, or else text."""
    components = _components()
    if word in components:
        return components[word]()
    for read in (ast.literal_eval, float):
        try:
            return read(word)
        except (ValueError, SyntaxError):
            continue
    return word


def _set(model: Any, name: str, value: Any) -> None:
    owner, before = model, ""
    *parents, last = name.split("__")
    for parent in parents:
        _check_known(owner, parent, before, name)
        if getattr(owner, parent) is None:
            owner.set_params(**{parent: _default(owner, parent)})
        owner, before = getattr(owner, parent), f"{before}{parent}__"
        if not hasattr(owner, "get_params"):
            raise CommandError(f"--set {name}: {before.removesuffix('__')} has no parameters.")
    _check_known(owner, last, before, name)
    owner.set_params(**{last: value})


def _check_known(owner: Any, parameter: str, before: str, name: str) -> None:
    known = owner.get_params(deep=False)
    if parameter in known:
        return
    close = get_close_matches(parameter, known, n=2)
    hint = (
        f"Did you mean {' or '.join(before + other for other in close)}?"
        if close
        else f"It has {', '.join(before + other for other in known)}."
    )
    raise CommandError(
        f"--set {name}: {type(owner).__name__} has no parameter {parameter!r}. {hint}"
    )


def _default(owner: Any, component: str) -> Any:
    """Make the component that None stands for, so that its parameters can be set."""
    if component == "estimator":
        from sklearn.base import clone

        return clone(owner.defaults()["estimator"])
    defaults = {"miner": "CoherentBiclustering", "neuron": "OnlinePerceptron"}
    if component not in defaults:
        raise CommandError(f"{component} is None and has no parameters; set {component} itself.")
    return _components()[defaults[component]]()
