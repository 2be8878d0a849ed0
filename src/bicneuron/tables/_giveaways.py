"""Recognise columns that give the class away: copies of it, what follows from it, row orders."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.tables._ids import with_name, words_of
from bicneuron.tables._sheet import in_blocks
from bicneuron.tables._spelling import word_set
from bicneuron.tables._step import Step

# Fewer rows of a class are separated by chance.
_FEWEST_ROWS = 5
# Rows that are looked at.
_MOST_ROWS = 2000
# Of more columns than this, the best are found by this many rows.
_MANY_COLUMNS, _ROWS_OF_MANY = 1000, 100
# Balanced accuracy on rows left out that is near perfect, and what is far below it.
_NEAR_PERFECT, _FAR_BELOW = 0.95, 0.8
# More columns that separate the classes are a property of the data.
_MOST_GIVEAWAYS = 3
# Columns that are looked at closely.
_MOST_CANDIDATES = 12
# Values of a column that says which class a row has, at most.
_MOST_VALUES = 10
# Rank correlation of a column with the row numbers, in all rows and within the classes.
_IN_ORDER, _IN_ORDER_WITHIN = 0.9, 0.8
# Neighbouring rows of the same class, as a share of what is possible beyond chance.
_SORTED = 0.7


# Names of what is known only afterwards, alone or among other words; some are those of times.
_TIMES = word_set("os pfs dfs rfs efs mfs dmfs dss ttp lfu fu")
_OUTCOMES = word_set(
    "tod todes todesdatum sterbedatum todesursache "
    "verstorben gestorben exitus mortality mortalität letalität survival überleben überlebenszeit "
    "ueberleben ueberlebenszeit gesamtüberleben died dead death deceased outcome outcomes rezidiv "
    "rezidivdatum rezidivzeit rezidivfrei recurrence relapse relapsed progression progress "
    "followup nachbeobachtung nachbeobachtungszeit nachsorge censored censoring zensiert "
    "event ereignis sterbetag vital fustat futime"
)
_OUTCOME_PAIRS = frozenset(
    tuple(pair.split())
    for pair in ("follow up", "last contact", "last seen", "letzter kontakt", "time to")
)
# With these, the name is about another person, many of them or the time before.
_NOT_OUTCOMES = word_set(
    "family familie cell previous prior history anamnese vorherige father mother vater mutter "
    "predicted risk rate expected pre programmed baseline"
)


def giveaways(columns: Mapping[str, FloatArray], labels: AnyArray, target: str) -> list[str]:
    """Name the columns that give the class away, one line for each, and the option against it.

    Words are numbered, and rows in the order of the file.
    """
    classes, n_of_class = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    said: dict[str, str] = {}
    if len(n_of_class) > 1 and n_of_class.min() >= _FEWEST_ROWS and len(columns) > 0:
        said = _by_values(columns, classes, target)
    for name, values in columns.items():
        if name not in said and is_outcome(name, values):
            said[name] = "is an outcome by its name"
    return [
        f"column {name!r} {why}; leave it out with {with_name('--drop ', name)} if it is known "
        "only after the class"
        for name, why in said.items()
    ]


def columns_of(features: Mapping[str, FloatArray], steps: Iterable[Step]) -> dict[str, FloatArray]:
    """One array for each column that features are made of; words are numbered."""
    columns = dict(features)
    for step in steps:
        made = [columns.pop(name) for name in step.features if name in features]
        if made:
            columns[step.column] = np.sum([(j + 1) * one for j, one in enumerate(made)], axis=0)
    return columns


def is_outcome(name: str, values: FloatArray) -> bool:
    """True if name and values are those of an event, or of the time until it."""
    words = words_of(name)
    is_called_so = not _OUTCOMES.isdisjoint(words) or not _OUTCOME_PAIRS.isdisjoint(pairwise(words))
    if (not is_called_so and _TIMES.isdisjoint(words)) or not _NOT_OUTCOMES.isdisjoint(words):
        return False
    filled = values[np.isfinite(values)]
    # A time has many values; os may as well be an eye.
    has_many = is_called_so or len(np.unique(filled)) > min(_MOST_VALUES, len(filled) // 2)
    return has_many and len(filled) > 0 and float(filled.min()) >= 0  # a time, a date, yes and no


def _by_values(
    columns: Mapping[str, FloatArray], classes: IndexArray, target: str
) -> dict[str, str]:
    """Reasons by the name of the column."""
    names = [*columns]
    rng = np.random.default_rng(0)
    # In random order, because equal values stay in the order in which they are sorted.
    rows = rng.permutation(len(classes))[:_MOST_ROWS]
    few = rows[:_ROWS_OF_MANY] if len(columns) > _MANY_COLUMNS else rows
    agreement, order = _screen(columns.values(), classes, few)
    said: dict[str, str] = {}
    best = np.argsort(-agreement, kind="stable")[:_MOST_CANDIDATES].tolist()
    recoded = [
        names[j]
        for j in best
        if _is_recoded(columns[names[j]][rows], classes[rows])  # soon known for most
        and _is_recoded(columns[names[j]], classes)
    ]
    if len(recoded) <= max(1, min(_MOST_GIVEAWAYS, len(names) // 3)):
        said |= dict.fromkeys(recoded, f"has other values for each class of {target!r}")
    scores = {names[j]: left_out_accuracy(columns[names[j]][rows], classes[rows]) for j in best}
    clear = [name for name, score in scores.items() if score >= _NEAR_PERFECT]
    others = [score for name, score in scores.items() if name not in clear]
    if others and len(clear) <= _MOST_GIVEAWAYS and max(others) <= _FAR_BELOW:
        for name in clear:
            why = f"balanced accuracy {scores[name]:.3f}, the best other column {max(others):.3f}"
            said.setdefault(name, f"alone gives the class on rows left out ({why})")
    if _is_sorted(classes):
        for j in np.flatnonzero(np.abs(order) >= _IN_ORDER).tolist():
            if follows_rows(columns[names[j]], classes):
                said.setdefault(names[j], f"follows the order of the rows, and so does {target!r}")
    return said


def _screen(
    columns: Iterable[FloatArray], classes: IndexArray, rows: IndexArray
) -> tuple[FloatArray, FloatArray]:
    """Say how well columns separate the classes, and how well they follow the rows."""
    n_rows = len(rows)
    classes = classes[rows]
    # Classes have the same weight, and a row half of its own for each of two neighbours.
    weights = 0.5 / np.bincount(classes)[classes] / len(np.unique(classes))
    centred = np.arange(n_rows) - (n_rows - 1) / 2
    places = centred[np.argsort(np.argsort(rows))]
    agreement, order = [], []
    for block in in_blocks(columns):
        ranked = np.argsort(block[:, rows], axis=1, kind="stable")
        found, weight = classes[ranked], weights[ranked]
        is_same = found[:, 1:] == found[:, :-1]
        agreement.append(np.sum((weight[:, 1:] + weight[:, :-1]) * is_same, axis=1))
        order.append(places[ranked] @ centred / (centred @ centred))
    return np.concatenate(agreement), np.concatenate(order)


def left_out_accuracy(values: FloatArray, classes: IndexArray) -> float:
    """Balanced accuracy of a column alone, by the three nearest other rows.

    Rows in random order: of equal values, the rows that are nearest are any of them.
    """
    is_filled = np.isfinite(values)
    known = values[is_filled] if is_filled.any() else np.zeros(1)
    # Rows without a value are near each other, and far from the others.
    filled = np.where(is_filled, values, known.max() + np.ptp(known) + 1.0)
    ranked = np.argsort(filled, kind="stable")
    values, classes = filled[ranked], classes[ranked]
    n_rows = len(values)
    shifts = [shift for shift in (-3, -2, -1, 1, 2, 3) if abs(shift) < n_rows]
    places = np.arange(n_rows)[:, None] + np.array(shifts)
    is_there = (places >= 0) & (places < n_rows)
    places = places.clip(0, n_rows - 1)
    distance = np.where(is_there, np.abs(values[places] - values[:, None]), np.inf)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :3]
    votes = classes[np.take_along_axis(places, nearest, axis=1)] == classes[:, None]
    is_right = 2 * votes.sum(axis=1) > votes.shape[1]
    counts = np.bincount(classes)
    present = counts > 0
    return float((np.bincount(classes, weights=is_right)[present] / counts[present]).mean())


def _is_recoded(values: FloatArray, classes: IndexArray) -> bool:
    """True if each value belongs to one class, and there are few values."""
    different, numbers = np.unique(values, return_inverse=True)
    n_classes = int(classes.max()) + 1
    if not n_classes <= len(different) <= max(_MOST_VALUES, n_classes):
        return False
    pairs = np.unique(numbers.reshape(-1) * n_classes + classes)
    return len(pairs) == len(different)


def _is_sorted(classes: IndexArray) -> bool:
    """True if the rows of a class follow each other."""
    shares = np.bincount(classes) / len(classes)
    chance = float((shares**2).sum())
    same = float((classes[1:] == classes[:-1]).mean())
    return same - chance >= _SORTED * (1 - chance)


def follows_rows(values: FloatArray, classes: IndexArray) -> bool:
    """True if a column is in the order of the rows also within the classes."""
    found = []
    for label in range(int(classes.max()) + 1):
        rows = np.flatnonzero((classes == label) & np.isfinite(values))
        if len(rows) >= _FEWEST_ROWS:
            ranks = np.unique(values[rows], return_inverse=True)[1]
            in_order = np.corrcoef(ranks, np.arange(len(rows)))[0, 1] if ranks.any() else 0.0
            found.append(abs(float(in_order)))
    return bool(found) and min(found) >= _IN_ORDER_WITHIN
