"""Numbers that mean something else: cells in another unit, dates and times written as numbers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._ids import with_name, words_of
from bicneuron.tables._sheet import listed, see
from bicneuron.tables._spelling import word_set

# Tables of more columns come from one machine, in one unit.
_MOST_COLUMNS = 1000
# Fewer values show no scale.
_FEWEST = 8
# The most values that are taken for those in another unit, as a share of all.
_MINORITY = 1 / 3
# Between units: mm and cm, mmol/l and mg/dl of glucose, m and cm, g and kg.
_WIDE = (100.0, 1000.0)
_FACTORS = (10.0, 18.02, *_WIDE)
# Largest by least of values in one unit, the gap to those in another, and how near these are then.
_ONE_UNIT, _GAP, _NEAR = 3.0, 5.0, 1.25
_PERCENT = re.compile(r"(?i)%|percent|per cent|prozent|anteil|\bpct\b")
_CELSIUS, _FAHRENHEIT = (34.0, 43.0), (93.0, 109.0)
_AGES, _YEARS = (1.0, 120.0), (1900.0, 2100.0)
# Names of years, and of years of birth; a smaller year may be the third of a study.
_YEAR, _OF = word_set("year jahr année annee año anno jaar"), word_set("of der des de di")
_BORN = word_set("yob birthyear geburtsjahr gebjahr jahrgang geboortejaar")
_LATE_YEAR = 50
# Names of columns of units, signs in units, and units without these.
_UNIT = word_set("unit units uom einheit einheiten unité unités unidad unidade unità eenheid")
_IN_UNITS = frozenset("/%\u2030°^µ\u03bc")
_SHORT_UNITS = word_set("kg g mg ug ng lb lbs oz m cm mm in ft l ml dl s min h d U IU mM nM uM pM")
# Other numbers have hundreds of less than 60 by chance if there are few of them, or round ones.
_SMALLEST_LATE, _FEWEST_TIMES, _FEWEST_MINUTES = 1000, 15, 7
# Dates without marks, and how many digits they have.
_FORMS = {"%Y%m%d": 8, "%d%m%Y": 8, "%m%d%Y": 8, "%y%m%d": 6, "%d%m%y": 6, "%Y%m": 6}
_FIRST_DAY, _LAST_DAY, _FEWEST_DATES = 1_01_01, 31_12_9999, 5


def doubtful_scales(columns: Mapping[str, FloatArray], places: Sequence[str]) -> list[str]:
    """Ask about columns with a few values in another unit, and dates and times such as 20190114."""
    if len(columns) > _MOST_COLUMNS:
        return []
    notes = []
    for name, values in columns.items():
        filled = values[np.isfinite(values)]
        if len(filled) < _FEWEST:
            continue
        about = _about_years(name, filled)
        if not about and filled.min() > 0:
            filled.sort()
            about = _about_dates(filled) or _about_times(filled)
            about = about or _about_units(name, values, filled, places)
        if about:
            drop = with_name("--drop ", name)
            notes.append(f"{name!r} {about}, or leave the column out with {drop}")
    return notes


def several_units(units: Mapping[str, Sequence[str]], numbers: Iterable[str]) -> list[str]:
    """Say which numbers are in several units, by the words of a column of units beside them."""
    notes = []
    for column, words in units.items():
        called = {*words_of(column)}
        stem = called - _UNIT
        if stem == called or not all(word in _SHORT_UNITS or _IN_UNITS & {*word} for word in words):
            continue
        notes += [
            f"{name!r} is in {len(words)} units by {column!r}, {listed(words)}; convert the values "
            f"to one, or leave the column out with {with_name('--drop ', name)}"
            for name in numbers
            if stem and stem <= {*words_of(name)}
        ]
    return notes


def _about_years(name: str, values: FloatArray) -> str:
    """Question about years of two digits, unless they may count from a beginning."""
    words = {*words_of(name)}
    is_year = not words.isdisjoint(_YEAR) and (len(words) == 1 or not words.isdisjoint(_OF))
    is_born = not words.isdisjoint(_BORN) or words >= {"birth", "year"}
    last = values.max() if is_born or is_year else -1
    if not (0 if is_born else _LATE_YEAR) <= last <= 99 or values.min() < 0 or np.any(values % 1):
        return ""
    return f"holds years of two digits such as {last:02.0f}; write them with four"


def _about_dates(values: FloatArray) -> str:
    """Question about numbers that are all dates without marks, such as 14012019."""
    if values[0] < _FIRST_DAY or values[-1] > _LAST_DAY or np.any(values % 1):
        return ""
    different = np.unique(values).tolist()
    for form, n_digits in _FORMS.items() if len(different) >= _FEWEST_DATES else ():
        first = f"{different[0]:0{n_digits}.0f}"
        if all(_day(f"{value:0{n_digits}.0f}", form) for value in different):
            written = _day(first, form) if "%Y" in form else "YYYY-MM-DD"
            return f"holds numbers such as {first}, which may be dates; write them as {written}"
    return ""


def _day(text: str, form: str) -> date | None:
    try:
        day = datetime.strptime(text, form).date()
    except ValueError:
        return None
    return day if _YEARS[0] <= day.year <= _YEARS[1] else None


def _about_times(values: FloatArray) -> str:
    """Question about numbers such as 830 that are all times, with minutes below 60."""
    if not _SMALLEST_LATE <= values[-1] < 2400 or np.any((values % 1 != 0) | (values % 100 >= 60)):
        return ""
    n_minutes = len(np.unique(values % 100))
    if len(np.unique(values)) < _FEWEST_TIMES or n_minutes < _FEWEST_MINUTES:
        return ""
    first = f"{values[0]:04.0f}"
    return (
        f"holds numbers such as {values[0]:.0f}, which may be times; write them as "
        f"{first[:2]}:{first[2:]}"
    )


def _about_units(name: str, values: FloatArray, ordered: FloatArray, places: Sequence[str]) -> str:
    """Question about values on one side of the widest gap, empty if they fit the others."""
    place = int(np.argmax(ordered[1:] / ordered[:-1])) + 1
    few, most = sorted((ordered[:place], ordered[place:]), key=len)
    are_few = len(few) <= _MINORITY * len(ordered)
    how = _how_far(name, few, most) if are_few else _times(few, most, _WIDE, _ONE_UNIT)
    if not how or not (are_few or len(np.unique(few)) >= _FEWEST):  # two doses
        return ""
    some = ", ".join(f"{value:g}" for value in few[:3]) + ", ..." * (len(few) > 3)
    rows = f"{len(few)} row{'s' * (len(few) > 1)}"
    return (
        f"holds {some} in {rows}, {how} the other values ({most[0]:g} to {most[-1]:g}), "
        f"{see(np.flatnonzero(np.isin(values, few)), places)}; correct them if they are in another "
        "unit"
    )


def _how_far(name: str, few: FloatArray, most: FloatArray) -> str:
    if _are_within(few, _FAHRENHEIT) and _are_within(most, _CELSIUS):
        return "in °F beside"
    if _are_within(few, _CELSIUS) and _are_within(most, _FAHRENHEIT):
        return "in °C beside"
    are_whole = not (np.any(few % 1) or np.any(most % 1))
    if are_whole and _are_within(few, _YEARS) and _are_within(most, _AGES):
        return "years beside"
    if few[-1] <= min(1, most[0]) and most[-1] <= 100 and _PERCENT.search(name) is not None:
        return _times(few, most, (100.0,), np.inf)
    return _times(few, most, _FACTORS, _ONE_UNIT)


def _times(few: FloatArray, most: FloatArray, factors: Sequence[float], widest: float) -> str:
    is_below = few[-1] < most[0]
    gap = most[0] / few[-1] if is_below else few[0] / most[-1]
    for factor in factors if gap >= _GAP and most[-1] <= widest * most[0] else ():
        moved = few * factor if is_below else few / factor
        if _are_within(moved, (most[0] / _NEAR, most[-1] * _NEAR)):
            return f"about 1/{factor:g} of" if is_below else f"about {factor:g} times"
    return ""


def _are_within(values: FloatArray, limits: tuple[float, float]) -> bool:
    return bool(values[0] >= limits[0] and values[-1] <= limits[1])
