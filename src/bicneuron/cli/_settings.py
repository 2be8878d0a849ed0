"""``--set name=value``: parameters of a model by name, checked before any work is done."""

import ast
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from bicneuron.cli._messages import CommandError

# Kind to the class of the model and the parameters that make it this kind.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "readable": ("BicNeuronNetwork", {"design": "readable"}),
    "accurate": ("BicNeuronNetwork", {"design": "accurate"}),
    "neuron": ("BicNeuronClassifier", {}),
    "neuron-cv": ("BicNeuronClassifierCV", {}),
}
# Parts that can be named as values.
PARTS = ("CoherentBiclustering", "ContrastBiclustering", "KernelPerceptron", "OnlinePerceptron")


def make_model(kind: str, settings: Iterable[str] | None, *, seed: int, n_jobs: int) -> Any:
    """Make a model with these settings, not yet fitted."""
    import bicneuron

    name, parameters = MODELS[kind]
    model = getattr(bicneuron, name)(**parameters, random_state=seed, n_jobs=n_jobs)
    pairs = [_split(setting) for setting in settings or ()]
    # A part comes before its own parameters.
    for path, value in sorted(pairs, key=lambda pair: pair[0].count("__")):
        _set(model, path, value)
    return model


def _split(setting: str) -> tuple[str, Any]:
    name, sign, word = setting.partition("=")
    if not sign:
        raise CommandError(f"--set {setting}: write it as name=value.")
    return name.strip(), _value(word.strip())


def _value(word: str) -> Any:
    """A Python literal, a number such as inf, the name of a part, or else text."""
    import bicneuron

    if word in PARTS:
        return getattr(bicneuron, word)()
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


def _check_known(owner: Any, part: str, before: str, name: str) -> None:
    known = owner.get_params(deep=False)
    if part in known:
        return
    close = get_close_matches(part, known, n=2)
    hint = (
        f"Did you mean {' or '.join(before + other for other in close)}?"
        if close
        else f"It has {', '.join(before + other for other in known)}."
    )
    raise CommandError(f"--set {name}: {type(owner).__name__} has no parameter {part!r}. {hint}")


def _default(owner: Any, part: str) -> Any:
    """What None stands for, so that its parameters can be set."""
    import bicneuron
    from bicneuron.classifier._classifier_cv import PRESETS

    if part == "estimator":
        from sklearn.base import clone

        return clone(PRESETS[owner.preset]["estimator"])
    defaults = {"miner": bicneuron.CoherentBiclustering, "neuron": bicneuron.OnlinePerceptron}
    if part not in defaults:
        raise CommandError(f"{part} is None and has no parameters; set {part} itself.")
    return defaults[part]()
