"""Questions about a table: what a person should look at, since it may mean something else.

Each rule is a function of what was read; `ask` runs them all.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.tables._cells import (
    Column,
    listed,
    names_of,
    rows_in_words,
    see,
    shown,
    some,
    word_set,
)
from bicneuron.tables._conversion import DIFFERENT, Conversion
from bicneuron.tables._names import Role, is_outcome, with_name, words_of

# Sevens, eights and nines stand for refused, not applicable and missing.
_SINGLE = (7.0, 8.0, 9.0)
CODES = np.array(
    [
        *_SINGLE,
        *(float(digit * n) for n in range(2, 7) for digit in "789"),
        *(-1.0, *(float(f"-{digit * n}") for n in range(1, 7) for digit in "789")),
    ]
)
# Many columns come from one machine: single values are looked at in fewer only.
_MANY_COLUMNS, _FEWEST_ROWS, _FEWEST_VALUES = 1000, 8, 10
# Between units: mm and cm, mmol/l and mg/dl of glucose, m and cm, g and kg.
_FACTORS = (10.0, 18.02, 100.0, 1000.0)
_AGES, _YEARS, _CELSIUS, _FAHRENHEIT = (1, 120), (1900, 2100), (34, 43), (93, 109)
_PERCENT = re.compile(r"(?i)%|percent|per cent|prozent|\bpct\b")
_YEAR, _BORN = (
    word_set("year jahr année annee año anno jaar"),
    word_set("yob birthyear geburtsjahr"),
)
_FORMS = {"%Y%m%d": 8, "%d%m%Y": 8, "%m%d%Y": 8, "%y%m%d": 6, "%d%m%y": 6, "%Y%m": 6}
_DIGIT = re.compile(r"\d")
# Columns, and the share of them with large values, of a table of expression that is not in logs.
_FEWEST_GENES, _LARGE = 100, 100.0


class Question(NamedTuple):
    """Something to look at: the rule that asks, the column, and the words with the way out."""

    rule: str
    column: str
    text: str


class Asked(NamedTuple):
    """What the rules look at."""

    values: Mapping[str, FloatArray]  # of columns as numbers; words are numbered
    numbers: Sequence[str]  # those that hold numbers in the file
    columns: Mapping[str, Column]
    conversions: Mapping[str, Conversion]
    ids: Mapping[str, Role]
    labels: AnyArray | None
    target: str
    places: Sequence[str]

    def of_numbers(self) -> Iterator[tuple[str, FloatArray, FloatArray]]:
        """Columns of numbers: name, values, and the values that are there in their order."""
        for name in self.numbers if len(self.numbers) <= _MANY_COLUMNS else ():
            values = self.values[name]
            filled = np.sort(values[np.isfinite(values)])
            if len(filled):
                yield name, values, filled


def ask(asked: Asked) -> list[Question]:
    """Ask all questions."""
    found = [one for rule in RULES.values() for one in rule(asked)]
    coded = {one.column for one in found if one.rule == "codes"}
    given_away: dict[str, Question] = {}
    for one in found:
        if one.rule in ("giveaways", "outcomes"):
            given_away.setdefault(one.column, one)
    return [
        one
        for one in found
        if given_away.get(one.column, one) is one or one.rule not in ("giveaways", "outcomes")
        if one.rule != "units" or one.column not in coded
    ]


def _ids(asked: Asked) -> Iterator[Question]:
    for name, role in asked.ids.items():
        drop = with_name("--drop ", name)
        if role is Role.LIKELY:
            yield Question(
                "ids",
                name,
                f"column {name!r} may be an id or a code, whose numbers measure nothing; leave it "
                f"out with {drop} if so",
            )
        elif role is Role.LIKELY_REPEATED:
            yield Question(
                "ids",
                name,
                f"column {name!r} may be an id that several rows share; keep them together with "
                f"{with_name('--groups ', name)}, or leave it out with {drop}",
            )


def _codes(asked: Asked) -> Iterator[Question]:
    """Numbers that lie apart from the others: codes such as -9, zeros for no measurement."""
    found: dict[float, list[str]] = {}
    block = np.stack([asked.values[name] for name in asked.numbers] or [np.full(1, np.nan)])
    ends = np.stack([np.fmin.reduce(block, axis=1), np.fmax.reduce(block, axis=1)])
    for place in np.flatnonzero(np.isin(ends, CODES).any(axis=0)).tolist():
        for code in beyond_the_others(block[place]):
            found.setdefault(code, []).append(asked.numbers[place])
    for name, values, _ in asked.of_numbers():
        for code in _far_away(values):
            if name not in found.setdefault(code, []):
                found[code].append(name)
    for code, names in found.items():
        elsewhere = any(name not in names and code in asked.values[name] for name in asked.numbers)
        digits = repr(code).removesuffix(".0")
        option = ",".join(f"{name}={digits}" for name in names) if elsewhere else digits
        holding = [np.flatnonzero(asked.values[name] == code) for name in names]
        what = f"{listed(names)} {'holds' if len(names) == 1 else 'hold'} {digits}"
        n = "" if len(names) == 1 else f"{sum(map(len, holding))} cells"
        yield _code(names[0], what, holding[0], "beyond all other values", asked.places, option, n)
    zeros = [one for one in asked.of_numbers() if _are_far_from_0(one[2])]
    for name, values, filled in zeros if len(zeros) <= 8 else ():  # more are genes without a count
        others = filled[filled > 0]
        how = f"far from the other values ({others[0]:g} to {others[-1]:g})"
        rows = np.flatnonzero(values == 0)
        yield _code(name, f"{name!r} holds 0", rows, how, asked.places, f"{name}=0")


def _code(
    name: str, what: str, rows: AnyArray, how: str, places: Sequence[str], option: str, n: str = ""
) -> Question:
    text = (
        f"{what} in {n or rows_in_words(rows)}, {how}, {see(rows, places)}; if it means a "
        f"missing value: --read missing={shlex.quote(option)}"
    )
    return Question("codes", name, text)


def beyond_the_others(values: FloatArray) -> dict[float, int]:
    """Codes that lie beyond all values that are not codes, and how often they occur."""
    values = values[np.isfinite(values)]
    others = values[~np.isin(values, CODES)]
    if not len(others) or others.min() == others.max():
        return {}
    least, largest, are_whole = others.min(), others.max(), bool(np.all(others % 1 == 0))
    spread = largest - least
    apart = min(spread / 2, 3 * spread / len(np.unique(others[:1000])))
    codes, counts = np.unique(values[np.isin(values, CODES)], return_counts=True)
    found = {}
    for code, n in zip(codes.tolist()[::-1], counts.tolist()[::-1], strict=True):
        if code == -1:  # 1 and 2 beside it are a scale around 0
            is_beyond = n > 1 and least >= 0 and not (largest <= 2 and are_whole)
        elif code < 0:
            is_beyond = least >= 0 and (n > 1 or -code >= 3 * spread)
        elif code in _SINGLE:
            is_beyond = n > 1 and code - largest >= spread and are_whole
        else:
            is_beyond = code - largest >= 3 * spread or (n > 1 and code - largest >= apart)
        if is_beyond:
            found[code] = n
    return found


def _far_away(values: FloatArray) -> list[float]:
    """Repeated values far from all others, such as 65535; few different others are doses."""
    values = values[np.isfinite(values)]
    found = []
    for code in (values.min(), values.max()) if len(values) else ():
        others = values[values != code]
        is_repeated = code != 0 and 2 * len(others) > len(values) > len(others) + 1
        if is_repeated and 3 * np.ptp(others) <= np.abs(others - code).min():
            found += [float(code)] * (len(np.unique(others)) >= _FEWEST_VALUES)
    return found


def _are_far_from_0(filled: FloatArray) -> bool:
    """True where zeros are doubtful, as of blood pressures."""
    others = filled[filled > 0]
    n_zeros = int(np.sum(filled == 0))
    known = np.unique(others)
    if not 0 < n_zeros <= len(others) or filled[0] < 0 or len(known) < _FEWEST_VALUES:
        return False
    is_far = others[0] >= 0.3 * np.median(others)
    if 4 * n_zeros > len(others):  # many zeros need a wider gap, as between 0 and 150 to 230
        is_far = np.ptp(others) <= others[0]
    # In 0, 1, 2, 3, ... it is one of the counts.
    return bool(is_far and others[0] > 2 * np.diff(known)[: len(known) // 2].max(initial=0))


def _units(asked: Asked) -> Iterator[Question]:
    """A few values in another unit than the others."""
    for name, values, filled in asked.of_numbers():
        if len(filled) < _FEWEST_ROWS or filled[0] <= 0:
            continue
        place = int(np.argmax(filled[1:] / filled[:-1])) + 1
        few, most = sorted((filled[:place], filled[place:]), key=len)
        are_few = 3 * len(few) <= len(filled)
        how = _how_far(name, few, most, are_few=are_few)
        if how and (are_few or len(np.unique(few)) >= _FEWEST_ROWS):  # and not two doses
            some_few = ", ".join(f"{value:g}" for value in few[:3]) + ", ..." * (len(few) > 3)
            yield Question(
                "units",
                name,
                f"{name!r} holds {some_few} in {rows_in_words(few)}, {how} the other values "
                f"({most[0]:g} to {most[-1]:g}), "
                f"{see(np.flatnonzero(np.isin(values, few)), asked.places)}; correct them if they "
                f"are in another unit, or leave the column out with {with_name('--drop ', name)}",
            )


def _how_far(name: str, few: FloatArray, most: FloatArray, *, are_few: bool) -> str:
    def within(values: FloatArray, limits: tuple[float, float]) -> bool:
        return bool(values[0] >= limits[0] and values[-1] <= limits[1])

    if are_few and within(few, _FAHRENHEIT) and within(most, _CELSIUS):
        return "in °F beside"
    if are_few and within(few, _CELSIUS) and within(most, _FAHRENHEIT):
        return "in °C beside"
    are_whole = not (np.any(few % 1) or np.any(most % 1))
    if are_few and are_whole and within(few, _YEARS) and within(most, _AGES):
        return "years beside"
    is_below = few[-1] < most[0]
    gap = most[0] / few[-1] if is_below else few[0] / most[-1]
    are_shares = few[-1] <= min(1, most[0]) and most[-1] <= 100 and _PERCENT.search(name)
    if gap < 5 or (most[-1] > 3 * most[0] and not are_shares):
        return ""
    for factor in (100.0,) if are_shares else _FACTORS if are_few else _FACTORS[2:]:
        moved = few * factor if is_below else few / factor
        if within(moved, (most[0] / 1.25, most[-1] * 1.25)):
            return f"about 1/{factor:g} of" if is_below else f"about {factor:g} times"
    return ""


def _dates(asked: Asked) -> Iterator[Question]:
    """Numbers that are dates, times of the day or years of two digits."""
    for name, _, filled in asked.of_numbers():
        if len(filled) >= _FEWEST_ROWS and not np.any(filled % 1) and filled[0] >= 0:
            about = _about_years(name, filled) or _about_dates(filled) or _about_times(filled)
            if about:
                drop = with_name("--drop ", name)
                yield Question("dates", name, f"{name!r} {about}, or leave it out with {drop}")


def _about_years(name: str, filled: FloatArray) -> str:
    words = {*words_of(name)}
    is_year = bool(words & _YEAR) and len(words) == 1
    is_born = bool(words & _BORN) or words >= {"birth", "year"}
    # A smaller year may be the third of a study.
    if not (is_year or is_born) or not (0 if is_born else 50) <= filled[-1] <= 99:
        return ""
    return f"holds years of two digits such as {filled[-1]:02.0f}; write them with four"


def _about_dates(filled: FloatArray) -> str:
    different = np.unique(filled).tolist()
    for form, n_digits in _FORMS.items() if len(different) >= 5 and filled[0] >= 1_01_01 else ():
        if all(_is_day(f"{value:0{n_digits}.0f}", form) for value in different):
            first = f"{different[0]:0{n_digits}.0f}"
            return f"holds numbers such as {first}, which may be dates; write ages or durations"
    return ""


def _is_day(text: str, form: str) -> bool:
    try:
        year = datetime.strptime(text, form).year
    except ValueError:
        return False
    return _YEARS[0] <= year <= _YEARS[1]


def _about_times(filled: FloatArray) -> str:
    """Numbers such as 830 that are all times, with many different minutes below 60."""
    different = np.unique(filled)
    if not 1000 <= filled[-1] < 2400 or np.any(filled % 100 >= 60) or len(different) < 15:
        return ""
    first = f"{filled[0]:04.0f}"
    is_spread = len(np.unique(different % 100)) >= 7
    about = f"holds numbers such as {filled[0]:.0f}, which may be times; write them as "
    return f"{about}{first[:2]}:{first[2:]}" if is_spread else ""


def _texts(asked: Asked) -> Iterator[Question]:
    """Texts with numbers in them that are left out, and words that look like others."""
    said = []
    for name, conversion in asked.conversions.items():
        words = [*filter(None, names_of(asked.columns[name]))]
        if conversion.about == DIFFERENT:
            digits = [word for word in words if 3 * len(_DIGIT.findall(word)) >= len(word)]
            if 2 * len(digits) > len(words):
                said.append(f"{name!r} such as {shown(max(digits, key=len))}")
    if said:
        numbers = "to use their numbers, write each plainly in a column of its own"
        yield Question("texts", "", f"texts with digits left out: {some(said)}; {numbers}")


def _intensities(asked: Asked) -> Iterator[Question]:
    """Values that look like raw intensities, by the rule of GEO2R and large values in many."""
    if len(asked.numbers) < _FEWEST_GENES:
        return
    values = np.stack([asked.values[name] for name in asked.numbers])
    n_large = int(np.any(values > _LARGE, axis=1).sum())
    cells = values[np.isfinite(values)]
    if 4 * n_large < len(values) or cells.min() < 0 or np.percentile(cells, 99) <= _LARGE:
        return
    median = float(np.median(cells))
    if cells.mean() >= 1.5 * median:
        yield Question(
            "log",
            "",
            f"values look like raw intensities or counts (half of them below {median:.4g}, the "
            f"largest {cells.max():.4g}); --read log=yes takes log2(x + 1) of all numbers",
        )


def _outcomes(asked: Asked) -> Iterator[Question]:
    for name, values in asked.values.items() if asked.labels is not None else ():
        if is_outcome(name, values):
            yield _giveaway(name, "is an outcome by its name", "outcomes")


def _giveaway(name: str, why: str, rule: str = "giveaways") -> Question:
    text = f"column {name!r} {why}; leave it out with {with_name('--drop ', name)} if it is known "
    return Question(rule, name, text + "only after the class")


def _giveaways(asked: Asked) -> Iterator[Question]:
    """Columns that give the class away: copies of it, what follows from it, orders of rows."""
    if asked.labels is None or not asked.values:
        return
    classes, counts = np.unique(asked.labels, return_inverse=True, return_counts=True)[1:]
    if len(counts) < 2 or counts.min() < 5:
        return
    names = [*asked.values]
    rows = np.random.default_rng(0).permutation(len(classes))[: 100 if len(names) > 1000 else 2000]
    score = _screen([asked.values[name] for name in names], classes, rows)
    best = np.argsort(-score, kind="stable")[:12]
    recoded = [names[j] for j in best if _is_recoded(asked.values[names[j]], classes)]
    if len(recoded) <= max(1, min(3, len(names) // 3)):
        for name in recoded:
            yield _giveaway(name, f"has other values for each class of {asked.target!r}")
    clear, others = score[score >= 0.9], score[score < 0.9]
    if len(others) and 0 < len(clear) <= 3 and others.max() <= 0.6:
        for j in best[: len(clear)]:
            why = (
                f"alone separates the classes nearly perfectly ({score[j]:.2f} of what is possible"
            )
            yield _giveaway(names[j], f"{why}, the best other column {others.max():.2f})")


def _screen(columns: Sequence[FloatArray], classes: IndexArray, rows: IndexArray) -> FloatArray:
    """How well columns separate the classes: 1 perfectly, 0 as by chance."""
    classes = classes[rows]
    # Classes have the same weight, and a row half of its own for each of two neighbours.
    weights = 0.5 / np.bincount(classes)[classes] / len(np.unique(classes))

    def agreement(ranked: IndexArray) -> FloatArray:
        found, weight = classes[ranked], weights[ranked]
        is_same = found[..., 1:] == found[..., :-1]
        sums: FloatArray = np.sum((weight[..., 1:] + weight[..., :-1]) * is_same, axis=-1)
        return sums

    score = []
    for start in range(0, len(columns), 1024):
        block = np.stack(columns[start : start + 1024])[:, rows]
        score.append(agreement(np.argsort(block, axis=1, kind="stable")))
    most = agreement(np.argsort(classes, kind="stable"))
    chance = float(((np.bincount(classes) / len(classes)) ** 2).sum())
    return (np.concatenate(score) - chance) / (most - chance)


def _is_recoded(values: FloatArray, classes: IndexArray) -> bool:
    """True if each value belongs to one class, and there are few values."""
    different, numbers = np.unique(values, return_inverse=True)
    n_classes = int(classes.max()) + 1
    if not n_classes <= len(different) <= max(10, n_classes):
        return False
    return len(np.unique(numbers.reshape(-1) * n_classes + classes)) == len(different)


RULES: dict[str, Callable[[Asked], Iterator[Question]]] = {
    "ids": _ids,
    "codes": _codes,
    "units": _units,
    "dates": _dates,
    "texts": _texts,
    "log": _intensities,
    "giveaways": _giveaways,
    "outcomes": _outcomes,
}
