"""Protocols, data sets and models by their names."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from reproduction._models import (
    BEST_MODEL,
    LOCAL_MODEL,
    MODELS,
    NETWORK_MODEL,
    RIVALS,
    Model,
)
from reproduction._problems import EEG_PAIRS, QUICK_PROBLEMS, TABLE_SETS
from reproduction._protocols import CLEAN, GROUPED, PAPER, QUICK, FoldProtocol
from reproduction.datasets import dataset_info
from reproduction.exceptions import ExperimentError

PROTOCOLS = {"paper": (PAPER,), "clean": (CLEAN,), "both": (PAPER, CLEAN)}
TABLE_MODELS = ("SP", "KP_L", "BN")
EEG_MODELS = ("SP", "KP_L", "KP_RBF", "BN", "BN_L", "BN_RBF")


def choose_protocols(
    name: str, *, grouped: bool = False, quick: bool = False
) -> list[FoldProtocol]:
    """Protocols by the name of a choice."""
    check_names("protocol", [name], PROTOCOLS)
    chosen = [GROUPED if grouped and each == CLEAN else each for each in PROTOCOLS[name]]
    if not quick:
        return chosen
    if name == "paper":
        raise ExperimentError("--quick runs the clean protocol; leave out --protocol paper.")
    return [QUICK]


def problems_of_tables(tables: Sequence[int], *, quick: bool = False) -> list[str]:
    """Data sets of some tables."""
    of_tables = [
        *(TABLE_SETS if {2, 3, 4} & {*tables} else ()),
        *(EEG_PAIRS if 5 in tables else ()),
    ]
    return [name for name in of_tables if not quick or name in QUICK_PROBLEMS]


def choose_problems(known: Sequence[str], names: Sequence[str]) -> list[str]:
    """All known data sets, or those of them that are named; "eeg" names all its pairs."""
    if "tipspam" in names:
        raise ExperimentError(f"tipspam: {dataset_info('tipspam').unavailable}")
    has_pairs = {*EEG_PAIRS} <= {*known}
    check_names("data set", names, [*known, *(["eeg"] if has_pairs else [])])
    if "eeg" in names:
        names = [*names, *EEG_PAIRS]
    return [name for name in known if not names or name in names]


def choose_models(
    protocol: FoldProtocol, dataset: str, names: Sequence[str], rivals: bool
) -> list[Model]:
    """Models that are run on a data set under a protocol."""
    check_names("model", names, MODELS)
    of_paper = EEG_MODELS if dataset in EEG_PAIRS else TABLE_MODELS
    chosen = names or (*of_paper, BEST_MODEL.name, LOCAL_MODEL.name)
    if not names and protocol == QUICK:  # a demonstration shows the best that there is, too
        chosen = (*chosen, NETWORK_MODEL.name)
    if rivals:
        chosen = (*chosen, *(rival.name for rival in RIVALS))
    return [
        model
        for name, model in MODELS.items()
        if name in chosen and protocol.name in model.protocols
    ]


def check_names(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse an unknown name and suggest the closest known one."""
    known = list(known)
    for name in names:
        if name not in known:
            nearest = get_close_matches(name, known, n=1)
            hint = f" Did you mean {nearest[0]}?" if nearest else ""
            raise ExperimentError(f"unknown {what} {name!r}.{hint} Known: {', '.join(known)}.")
