"""Find rows that are not independent: copies, several samples of a patient, close neighbours."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray

# Columns in which rows are equal, and values that are not whole numbers.
_LEAST_COLUMNS_OF_COPIES, _LEAST_MEASUREMENTS = 3, 10
# Columns with so many different values are not measurements where neighbours are looked for.
_MOST_CATEGORIES = 20
_CELLS_AT_ONCE = 1 << 18
_CUT = re.compile(r"[\W_]+|(?<=[0-9])(?=[^\W\d_])")  # ids, also between number and letter
# Words that tell the rows of a unit apart, besides numbers and single letters.
_WORD = re.compile(
    "(?:[tvdwmr]|rep|tp|time|visit|day|week|month|year|run)[0-9]+|left|right|od|os|pre|post|before|"
    "after|baseline|bl|fu|tumou?r|normal|primary|relapse"
)
# Days, and sequences of bases, which cells of different samples have in common.
_DAY = re.compile(r"(?:19|20)[0-9]{2}[-./ ]?[01][0-9]|[0-3]?[0-9][-./][01]?[0-9][-./][0-9]{2}")
_BASES = re.compile("[ACGT]{8}")
# Units whose ends are times, at least, and the rows of other units: this share of all.
_FEWEST_UNITS, _LEAST_SHARE = 5, 0.1
# Close rows: how much closer than the third neighbour, their least share of all rows, and columns
# and rows of tables that are looked at.
_CLOSER, _LEAST_CLOSE, _LEAST_COLUMNS, _MOST_COLUMNS, _MOST_ROWS = 0.5, 0.15, 20, 4000, 5000


def copies(table: FloatArray) -> IndexArray:
    """Number rows alike that are equal, in all columns or in ten values that are not whole.

    Answers of yes and no are equal by chance: then as many pairs of rows differ in one column.
    """
    n_rows, n_columns = table.shape
    n_measured, whole = np.zeros(n_rows, dtype=np.intp), np.zeros(n_rows, dtype=np.uint64)
    with_parts = whole.copy()  # of the columns with values that are no whole numbers
    drawn = np.random.default_rng(0).integers(1 << 62, size=n_columns)
    factors = np.asarray(2 * drawn + 1, np.uint64)
    at_once = max(1, _CELLS_AT_ONCE // max(n_rows, 1))
    for first in range(0, n_columns, at_once):
        some = slice(first, first + at_once)
        cells = table[:, some]
        is_measured = np.isfinite(cells) & (cells != np.floor(cells))
        n_measured += is_measured.sum(axis=1)
        keys = _mixed(cells) * factors[some]
        whole += keys.sum(axis=1, dtype=np.uint64)
        with_parts += keys[:, is_measured.any(axis=0)].sum(axis=1, dtype=np.uint64)
    equal = numbered(whole)
    if equal.max() + 1 < n_rows:
        n_equal = _n_pairs(whole)
        without = (whole - _mixed(table[:, k]) * factors[k] for k in range(n_columns))
        n_near = sum(_n_pairs(keys) - n_equal for keys in without)
        if n_columns < _LEAST_COLUMNS_OF_COPIES or n_near >= n_equal:
            equal = np.arange(n_rows)
    return joined(equal, alone(numbered(with_parts), n_measured < _LEAST_MEASUREMENTS))


def _mixed(cells: FloatArray) -> AnyArray:
    """Numbers in which each bit depends on all bits of a cell; -0.0 is 0.0, and NaN one value."""
    bits = np.where(np.isnan(cells), np.nan, cells + 0.0).view(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # of splitmix64
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    return bits


def _n_pairs(keys: AnyArray) -> int:
    """How many pairs of rows have the same key."""
    counts = np.unique(keys, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def repeated_ids(ids: Sequence[str]) -> IndexArray:
    """Number the rows so that those of one id have the same number; empty ids are none."""
    names = np.asarray(ids, dtype=str)
    return alone(numbered(names), names == "")


def common_stems(ids: Sequence[str]) -> IndexArray | None:
    """Number the rows so that those whose ids have a common stem, as ``P1_a`` and ``P1_b``, do."""
    if all(map(_DAY.match, ids)) or all(map(_BASES.match, ids)):
        return None
    parts = [[part for part in _CUT.split(one.casefold().strip()) if part] for one in ids]
    for depth in range(1, max(map(len, parts), default=0)):
        stems = [tuple(one[:depth]) for one in parts]
        ends = [tuple(one[depth:]) for one in parts]
        if _names_units(stems, ends):
            return numbered([" ".join(stem) for stem in stems])
    return None


def _names_units(stems: Sequence[tuple[str, ...]], ends: Sequence[tuple[str, ...]]) -> bool:
    """True if the beginnings of ids name units, and what follows tells the rows of each apart."""
    n_rows = Counter(stems)
    shared = sum(n for n in n_rows.values() if n > 1)
    ways = {*ends} - {()}
    if shared < _LEAST_SHARE * len(stems) or not ways:
        return False
    last = {part for way in ways for part in way}
    if all(map(_WORD.fullmatch, last)):
        return len(n_rows) >= _FEWEST_UNITS
    # Words are names, as in North Dakota and South Dakota, unless they follow a number.
    behind_number = sum(any(map(str.isdecimal, stem[-1])) for stem in n_rows if stem)
    is_short = all(part.isdecimal() or len(part) == 1 or _WORD.fullmatch(part) for part in last)
    return len(n_rows) >= 2 * len(ways) and (is_short or 2 * behind_number > len(n_rows))


def close_rows(table: FloatArray) -> BoolArray:
    """Rows that are each other's nearest and much closer than their third neighbours."""
    n_rows, n_columns = table.shape
    none = np.zeros(n_rows, dtype=bool)
    if n_columns < _LEAST_COLUMNS or not _MOST_CATEGORIES < n_rows <= _MOST_ROWS:
        return none
    some = table[:, :: max(1, n_columns // _MOST_COLUMNS)]
    filled = some[:, np.isfinite(some).any(axis=0)]
    percentile = np.percentile if np.isfinite(filled).all() else np.nanpercentile  # which is slow
    low, middle, high = percentile(filled, [25, 50, 75], axis=0)
    n_values = 1 + (np.diff(np.sort(filled, axis=0), axis=0) > 0).sum(axis=0)
    varies = (high > low) & (n_values > _MOST_CATEGORIES)
    if varies.sum() < _LEAST_COLUMNS:
        return none
    scaled = np.nan_to_num((filled[:, varies] - middle[varies]) / (high - low)[varies])
    np.clip(scaled, -10, 10, out=scaled)
    squares = (scaled**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * scaled @ scaled.T
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    first, third = np.sqrt(np.maximum(np.partition(distances, 2, axis=1)[:, [0, 2]].T, 0))
    is_close = (nearest[nearest] == np.arange(n_rows)) & (first < _CLOSER * third)
    is_close &= is_close[nearest]
    return is_close if is_close.sum() >= _LEAST_CLOSE * n_rows else none


def numbered(keys: AnyArray | Sequence[str]) -> IndexArray:
    """Number rows from 0, those with the same key alike."""
    return np.unique(keys, return_inverse=True)[1].astype(np.intp).reshape(-1)


def alone(numbers: IndexArray, is_alone: BoolArray) -> IndexArray:
    """Number the rows anew, with a number of its own for each of these."""
    return numbered(np.where(is_alone, len(numbers) + np.arange(len(numbers)), numbers))


def joined(one: IndexArray, other: IndexArray) -> IndexArray:
    """Number the rows so that those which are together in either have the same number."""
    if other.max(initial=0) + 1 == len(other):  # without scipy, which takes long to load
        return numbered(one)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_units = int(one.max()) + 1
    ends = one.astype(np.int32), (n_units + other).astype(np.int32)  # scipy 1.11 takes no others
    links = coo_array((np.ones(len(one)), ends), shape=(2 * len(one), 2 * len(one)))
    return numbered(connected_components(links, directed=False)[1][one])


def n_together(units: IndexArray) -> int:
    """How many rows share their unit with another row."""
    return int(np.sum(np.bincount(units)[units] > 1))
