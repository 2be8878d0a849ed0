"""Find rows that are not independent: rows of one patient, and rows that are given twice."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.tables._ids import with_name
from bicneuron.tables._sheet import listed

# So many equal measurements are no coincidence.
_FEWEST_MEASUREMENTS = 10
_STAY = ", which stay together in folds and tests; if they should not: --no-groups"
_CELLS_AT_ONCE = 1 << 18
# Odd constants and shifts of the finaliser of splitmix64.
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def equal_rows(table: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Number the rows so that equal rows have the same number; cells without a value are equal.

    The first array is about all columns. The second is about measurements only: columns that hold
    other numbers than whole ones, in rows where ten or more of them are not whole.
    """
    n_rows, n_columns = table.shape
    n_at_once = max(1, _CELLS_AT_ONCE // max(n_columns, 1))
    blocks = [slice(start, start + n_at_once) for start in range(0, n_rows, n_at_once)]
    measured = np.zeros(n_columns, dtype=bool)
    n_measurements = np.empty(n_rows, dtype=np.intp)
    for rows in blocks:
        is_measured = np.isfinite(table[rows]) & (table[rows] != np.floor(table[rows]))
        measured |= is_measured.any(axis=0)
        n_measurements[rows] = is_measured.sum(axis=1)
    factors = np.random.default_rng(0).integers(1 << 63, size=n_columns, dtype=np.uint64) * 2 + 1
    hashes = np.empty((2, n_rows), dtype=np.uint64)
    for rows in blocks:
        mixed = _mixed(table[rows]) * factors
        hashes[0, rows] = mixed.sum(axis=1, dtype=np.uint64)
        hashes[1, rows] = mixed.sum(axis=1, dtype=np.uint64, where=measured)
    few = np.flatnonzero(n_measurements < _FEWEST_MEASUREMENTS)
    return _numbered(hashes[0]), _alone(_numbered(hashes[1]), few)


def _mixed(cells: FloatArray) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint64]]":
    """Numbers in which each bit depends on all bits of a cell."""
    values = cells + 0.0  # -0.0 is 0.0
    values[np.isnan(values)] = np.nan
    bits = np.ascontiguousarray(values).view(np.uint64)
    for shift, factor in _MIX:
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    return bits


def _numbered(keys: AnyArray) -> IndexArray:
    return np.unique(keys, return_inverse=True)[1].astype(np.intp).reshape(-1)


def _alone(numbers: IndexArray, rows: IndexArray) -> IndexArray:
    """Number the rows anew, with a number of its own for each of these."""
    numbers[rows] = len(numbers) + rows
    return _numbered(numbers)


def keep_together(
    table: FloatArray,
    ids: Mapping[str, AnyArray],
    labels: AnyArray | None,
    strata: AnyArray | None,
    places: Sequence[str],
    *,
    guess: bool,
) -> tuple[IndexArray | None, list[str]]:
    """Find rows that folds and tests should keep together, and say so.

    These are rows with one of the repeated ``ids``, which are empty where there is none, and rows
    with the same measurements. The rows of a group must agree in labels and strata, which are
    exchanged with them. Without ``guess``, groups are known or not wanted.
    """
    n_rows = len(table)
    classes = np.zeros(n_rows, dtype=np.intp) if labels is None else _numbered(labels)
    facts = classes if strata is None else _together(classes, *strata.reshape(n_rows, -1).T)
    equal, repeated = equal_rows(table)
    notes = _about_equal(equal, places)
    if not guess:
        return None, notes
    groups = np.arange(n_rows)
    units = {
        name: _alone(_numbered(column), np.flatnonzero(column.astype(str) == ""))
        for name, column in ids.items()
    }
    agreeing = {name: unit for name, unit in units.items() if _agree(unit, classes, facts)}
    # Of visits and patients, the patients.
    chosen = min(agreeing, key=lambda name: agreeing[name].max(), default=None)
    if chosen is not None:
        groups = agreeing[chosen]
    for name, column in ids.items():
        if name == chosen or name not in agreeing:
            notes.append(_about_id(name, column, is_chosen=name == chosen))
    copies = _together(repeated, facts) if repeated.max() + 1 < n_rows else repeated
    if copies.max() + 1 < n_rows and _agree(copies, classes, facts):
        groups = _joined(groups, copies)
        if equal.max() + 1 < n_rows:
            notes[0] += _STAY
        else:
            n_copies = n_rows - 1 - repeated.max()
            notes.insert(0, f"rows that repeat the measurements of another row: {n_copies}{_STAY}")
    return (groups if groups.max() + 1 < n_rows else None), notes


def _together(first: IndexArray, *others: AnyArray) -> IndexArray:
    """Number the rows so that those which agree in all columns have the same number."""
    for column in others:
        # Of different types, if there are several strata.
        other = _numbered(column.astype(str) if column.dtype == object else column)
        first = _numbered(first * (other.max() + 1) + other)
    return first


def _agree(units: IndexArray, classes: IndexArray, facts: IndexArray) -> bool:
    """True if no unit has different facts, and each class has two units for two folds."""
    in_class = _together(classes, units)
    n_units = np.bincount(classes[np.unique(in_class, return_index=True)[1]])
    return bool(_together(units, facts).max() == units.max()) and int(n_units.min()) > 1


def _joined(one: IndexArray, other: IndexArray) -> IndexArray:
    """Number the rows so that those which are together in either have the same number."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_units = int(one.max()) + 1
    n_all = n_units + int(other.max()) + 1
    links = coo_array((np.ones(len(one)), (one, n_units + other)), shape=(n_all, n_all))
    parts: IndexArray = connected_components(links, directed=False)[1]
    return _numbered(parts[one])


def _about_equal(equal: IndexArray, places: Sequence[str]) -> list[str]:
    """Say how many rows are given more than once."""
    n_repeated = len(equal) - 1 - int(equal.max())
    if not n_repeated:
        return []
    first = int(np.flatnonzero(np.bincount(equal)[equal] > 1)[0])
    second = int(np.flatnonzero(equal == equal[first])[1])
    return [
        f"rows that repeat another one in all features: {n_repeated} of {len(equal)}, the first is "
        f"{places[second]}, like {places[first]}"
    ]


def _about_id(name: str, ids: AnyArray, *, is_chosen: bool) -> str:
    twice = [str(one) for one, n in Counter(ids.tolist()).items() if n > 1 and one != ""]
    stand = "stands" if len(twice) == 1 else "stand"
    note = f"id {name!r}: {listed(twice, 4)} {stand} in several rows"
    if is_chosen:
        return note + _STAY
    return (
        f"{note} of different classes, or few of a class; keep them together with "
        f"{with_name('--groups', name)}"
    )
