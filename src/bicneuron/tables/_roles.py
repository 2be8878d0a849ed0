"""Assign roles to the columns of a table: labels, row names, features."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron._writing._names import close_to
from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget
from bicneuron.tables._classes import about_numbers, cut_into_classes, no_classes, read_classes
from bicneuron.tables._dates import are_times, read_date_column
from bicneuron.tables._giveaways import columns_of, giveaways
from bicneuron.tables._ids import Role, about_likely, find_ids, left_out, with_name
from bicneuron.tables._missing import about_codes, codes_of_steps, parse_codes, without_codes
from bicneuron.tables._numbers import COMMA, POINT, Reading
from bicneuron.tables._prepare import Prepared, apply_steps, prepare, read_columns
from bicneuron.tables._recognise import MOST_CATEGORIES
from bicneuron.tables._repeats import keep_together
from bicneuron.tables._sheet import (
    Column,
    Sheet,
    cells_of,
    is_missing,
    listed,
    shown,
    to_labels,
    to_names,
    without_quotes,
)
from bicneuron.tables._spelling import FALSE, TRUE
from bicneuron.tables._steps import (
    Categories,
    Classes,
    Cut,
    Flags,
    LeftOut,
    MissingCodes,
    NumberFormat,
    Step,
)
from bicneuron.tables._steps_json import describe_steps

if TYPE_CHECKING:
    import pandas as pd

_LIKE_AN_ID = re.compile(
    r"(?i:column 1|unnamed: 0|index|idx|rows?|no|nr|number|#|sample|patient|subject|case|barcode"
    r"|(.*[ _.-])?(id|ids|identifier|accession|code|name|names|key))|.*[a-z]I[dD]"
)
_AN_ID = re.compile(
    r"(?i:(.*[ _.-])?(ids?|identifier|accession|patient|subject|sample|name))|.*[a-z]I[dD]"
)
# The most problems in one message.
_MOST_PROBLEMS = 20


class Request(NamedTuple):
    """Arguments of `bicneuron.tables.read_table` that concern the roles of columns."""

    target: str | None
    id_column: str | None
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    columns: Sequence[str] | None
    aside: Mapping[str, tuple[str, ...]]
    covariates: tuple[str, ...]
    guess_groups: bool
    steps: tuple[Step, ...] | None
    number_format: NumberFormat
    strict: bool
    keep_missing: bool
    only_labelled: bool
    another_cohort: bool
    log: bool
    missing: tuple[str, ...] = ()
    merge: Mapping[str, str] = MappingProxyType({})
    cut: Mapping[str, Sequence[float]] = MappingProxyType({})

    @property
    def is_fit(self) -> bool:
        """True if the columns show what is read, and not the steps of a fit."""
        return self.columns is None and self.steps is None

    @property
    def beside(self) -> list[tuple[str, str]]:
        """Names of columns that are no features, and what each is for."""
        named = {**self.aside, "covariates": self.covariates}
        return [(name, use) for use, names in named.items() for name in names]


@dataclass(frozen=True)
class Table:
    """Features and labels of a table, with notes on what was guessed.

    Parameters
    ----------
    features : DataFrame of float64
        Finite numbers, and NaN in cells without a value if they were to be kept. The index holds
        the row names, or numbers from 1 on if there are none.
    labels : array of shape (n_rows,) or None
        Whole numbers or text; None if no target was named.
    target, id_column : str or None
        Names of the columns that labels and row names come from.
    dropped : tuple of str
        Columns that were left out, on request or because they contain no information.
    notes : tuple of str
        Notes on what was guessed.
    aside : dict of str to array of shape (n_rows,) or (n_rows, n_columns), default={}
        Columns that were set aside, by what they are for: whole numbers or text.
    covariates : DataFrame of float64 or None, default=None
        Columns of numbers that were set aside, without gaps.
    steps : tuple of steps, default=()
        Conversions of columns to numbers, to be applied to new tables. `steps_to_json` converts
        them for storage with a model.
    """

    features: "pd.DataFrame"
    labels: AnyArray | None
    target: str | None
    id_column: str | None
    dropped: tuple[str, ...]
    notes: tuple[str, ...]
    aside: Mapping[str, AnyArray] = field(default_factory=dict)
    covariates: "pd.DataFrame | None" = None
    steps: tuple[Step, ...] = ()


def take_apart(
    path: Path, sheet: Sheet, asked: Request, budget: Budget, probes: tuple[Step, ...]
) -> Table:
    """Assign a role to each column and convert the features; raise an error with all problems.

    ``probes`` are the steps that were applied to the sheet before.
    """
    notes: list[str] = []
    problems: list[str] = []
    codes, wrong_codes = parse_codes(
        asked.missing, [*map(without_quotes, sheet.names), *sheet.aside]
    )
    problems += wrong_codes
    codes = [*codes_of_steps(asked.steps or ()), *codes]
    sheet, of_classes, n_cells = _with_classes(sheet, asked, codes, notes, problems)
    sheet = _with_labels(sheet, asked, notes)
    columns = _by_name(sheet, notes, problems)
    known = {**sheet.aside, **columns, **sheet.aside}  # what may be a target is named first
    target, id_column = asked.target, asked.id_column
    sources = _sources(asked)
    _check_names(columns, known, asked, sources, notes, problems)
    beside = {name for name, _ in asked.beside}
    taken = {target, id_column, *asked.drop, *beside} - {*sources}
    free = {name: column for name, column in columns.items() if name not in taken}
    readings, number_format = read_columns(free, asked.number_format)
    if number_format.decimal == COMMA and asked.number_format.decimal is None:
        notes.append("decimal comma")

    id_column = id_column if id_column in known else None
    row_names = sheet.row_names
    is_fit = asked.steps is None and asked.columns is None
    may_be_ids = {name: free[name] for name in free if name not in asked.keep} if is_fit else {}
    ids = find_ids(may_be_ids, readings)
    is_guessed = id_column is None and row_names is None
    if is_guessed:
        needed = {*sources, *asked.keep}
        names = [name for name in free if name not in needed]
        id_column = _guess_id(columns, readings, ids, names)
    if id_column is not None:
        row_names = to_names(known[id_column])
    if codes:
        names_rows_or_classes = {id_column, target}
        for name in {*known} - names_rows_or_classes:
            known[name], n_cells[name] = without_codes(name, known[name], codes)
        columns = {
            name: known[name] if name in free else column for name, column in columns.items()
        }
        free = {name: columns[name] for name in free}
        readings, number_format = read_columns(free, asked.number_format)
        notes += about_codes(codes, n_cells) if asked.is_fit else []
    if row_names is not None:
        problems += _broken("row name", row_names, sheet)
    if id_column is not None and ids.get(id_column) is Role.REPEATED:
        notes.append(f"row names: column {id_column!r}")  # repeats are named below
    else:
        notes.append(_about_names(id_column, row_names, sheet.row_source))
    if is_guessed and id_column in readings and not readings[id_column].is_text:
        notes[-1] += f"; {with_name('--keep', id_column)} takes it as a feature"
    numbers = sheet.row_numbers or range(1, sheet.n_rows + 1)
    places = _places(numbers, row_names)

    options = {"keep_missing": asked.keep_missing}
    if is_fit:
        numbering = {
            name: left_out(name, role)
            for name, role in ids.items()
            if role in (Role.ID, Role.REPEATED) and name != id_column
        }
        features = {n: column for n, column in free.items() if n not in {id_column, *numbering}}
        options |= {"strict": asked.strict, "log": asked.log}
        made = prepare(features, readings, number_format, places, budget, **options)
        made = made._replace(steps=(*made.steps, *numbering.values()))
        about_numbering = describe_steps(numbering.values())
        notes += about_numbering + about_likely(ids)
        problems += [f"without --strict: {line}." for line in about_numbering if asked.strict]
        empty = [step.column for step in made.steps if isinstance(step, LeftOut)]
        dropped = [name for name in columns if name in {*asked.drop, *empty}]
        words = [step.column for step in made.steps if isinstance(step, Categories | Flags)]
        if words and target is None:
            made.notes.append(f"if {listed(words)} should hold the classes, name it with --target")
    else:
        names = sources if asked.columns is not None else [n for n in free if n != id_column]
        features = {name: columns[name] for name in names if name in columns}
        steps = asked.steps or ()
        made = apply_steps(features, readings, steps, number_format, places, budget, **options)
        used = {*features, target, id_column, *beside}
        dropped = [name for name in columns if name not in used]
        if dropped:
            notes.append(f"columns that are not needed left out: {listed(dropped)}")
    notes += made.notes
    problems += made.problems
    values = made.values
    if asked.columns is not None:
        values = {name: values[name] for name in asked.columns if name in values}
    if not values and not problems:
        why = "; ".join(describe_steps(made.steps))
        problems.append(f"has no column of features left{why and f' ({why})'}.")
    labels = _labels(asked, known, places, notes, problems)
    if labels is not None:
        problems += _broken(f"target {target!r}", labels.tolist(), sheet)
    aside = {
        use: _aside(use, {name: known[name] for name in names if name in known}, places, problems)
        for use, names in asked.aside.items()
    }
    covariates = _covariates(asked, known, number_format, places, budget)
    notes += covariates.notes
    problems += covariates.problems
    if problems:
        raise TableError(_message_of(path, problems))
    matrix = np.column_stack(list(values.values()))
    if is_fit:
        repeated = [name for name, role in ids.items() if role is Role.REPEATED]
        groups, about_repeats = keep_together(
            matrix,
            {name: to_labels(columns[name]) for name in repeated},
            labels,
            aside.get("strata"),
            places,
            guess=asked.guess_groups and "groups" not in aside,
        )
        notes += about_repeats
        if labels is not None:
            notes += giveaways(columns_of(values, made.steps), labels, str(target))
        aside |= {} if groups is None else {"groups": groups}
    import pandas as pd  # takes long to load, and tables that are refused need no frame

    index = (
        pd.Index(numbers, name="row")
        if row_names is None
        else pd.Index(row_names, name=id_column or "row", dtype=object)
    )
    return Table(
        pd.DataFrame(matrix, index=index, columns=list(values)),
        labels,
        None if labels is None else target,
        id_column,
        tuple(dropped),
        (*sheet.notes, *describe_steps(probes), *notes),
        aside,
        pd.DataFrame(covariates.values, index=index) if covariates.values else None,
        (*probes, *codes, *made.steps, *of_classes),
    )


def _message_of(path: Path, problems: Sequence[str]) -> str:
    """Message of one problem in one line, or of several in one line each."""
    if len(problems) == 1:
        (problem,) = problems
        return f"{path}{' ' if problem.startswith(('has ', 'lacks ')) else ': '}{problem}"
    more = len(problems) - _MOST_PROBLEMS
    return "\n".join(
        [
            f"{path} has {len(problems)} problems:",
            *(f"  {problem}" for problem in problems[:_MOST_PROBLEMS]),
            *([f"  and {more} more"] if more > 0 else []),
        ]
    )


def _with_classes(
    sheet: Sheet,
    asked: Request,
    codes: Sequence[MissingCodes],
    notes: list[str],
    problems: list[str],
) -> tuple[Sheet, tuple[Step, ...], dict[str, dict[str, int]]]:
    """Return the table with its classes in one spelling, the steps for it, and cells of codes."""
    target = asked.target or ""
    if asked.cut and target not in asked.cut:
        other = next(iter(asked.cut))
        problems.append(f"--cut names {other!r}, and the target is {asked.target!r}; name that.")
    places = [j for j, name in enumerate(sheet.names) if without_quotes(name) == target]
    if asked.target is None or not (places or target in sheet.aside):
        return sheet, (), {}
    column = sheet.aside[target] if target in sheet.aside else sheet.columns[places[0]]
    column, n_cells = without_codes(target, column, codes)
    known = next((step for step in asked.steps or () if isinstance(step, Classes | Cut)), None)
    of_classes: tuple[Step, ...] = ()
    if known is not None and known.column == target:
        column = known.classes(column)
    elif target in asked.cut:
        column, of_classes, *more = cut_into_classes(target, column, asked.cut[target])
        problems += more[1]
    else:
        column, of_classes, *more = read_classes(target, column, asked.merge)
        problems += more[1]
        notes += more[0] if asked.is_fit else []
    changes = describe_steps(of_classes)
    if asked.is_fit and asked.strict and not (asked.cut or asked.merge):
        problems += [f"without --strict: {change}." for change in changes]
    elif asked.is_fit:
        notes += changes
        notes += about_numbers(target, column)
    of_classes = of_classes if asked.is_fit else ()
    if target in sheet.aside:
        return replace(sheet, aside={**sheet.aside, target: column}), of_classes, {target: n_cells}
    columns = [column if j in places else other for j, other in enumerate(sheet.columns)]
    return replace(sheet, columns=columns), of_classes, {target: n_cells}


def _with_labels(sheet: Sheet, asked: Request, notes: list[str]) -> Sheet:
    """Keep the rows with a class, which a model can learn from."""
    column = sheet.aside.get(asked.target or "")
    if column is None and asked.target is not None:
        names = [without_quotes(name) for name in sheet.names]
        column = sheet.columns[names.index(asked.target)] if asked.target in names else None
    if column is None or asked.strict or not (asked.is_fit or asked.only_labelled):
        return sheet
    rows = [row for row, cell in enumerate(cells_of(column)) if not is_missing(cell)]
    n_lacking = sheet.n_rows - len(rows)
    if not rows or not n_lacking:
        return sheet
    notes.append(f"rows without a class in {asked.target!r} left out: {n_lacking}")
    return sheet.with_rows(rows)


def _by_name(sheet: Sheet, notes: list[str], problems: list[str]) -> dict[str, Column]:
    """Return columns by name without quotes, repeated ones with the same cells only once."""
    cleaned = [without_quotes(name) for name in sheet.names]
    if cleaned != sheet.names:
        notes.append("quotes around the names of columns left out")
    names = [name or f"column {j}" for j, name in enumerate(cleaned, start=1)]
    columns: dict[str, Column] = {}
    differing, same, n_empty = [], [], 0
    for place, (name, column) in enumerate(zip(names, sheet.columns, strict=True)):
        if not cleaned[place] and all(map(is_missing, cells_of(column))):
            n_empty += 1  # as spreadsheets write them beside the data
        elif name not in columns:
            columns[name] = column
        elif cells_of(column) == cells_of(columns[name]):
            same.append(name)
        else:
            differing.append(name)
    if n_empty:
        notes.append(f"columns without a name and values left out: {n_empty}")
    if same:
        notes.append(f"columns with the same name and cells taken once: {listed(same)}")
    if differing:
        twice = [name for name, n in Counter(differing).items() if n]
        problems.append(f"has several columns called {listed(twice)}; give each a unique name.")
    return columns


def _sources(asked: Request) -> list[str]:
    """Columns that the features of a model are made of.

    In another cohort a column that has a role is no feature, whatever it was in the fit.
    """
    made_of = {feature: step.column for step in asked.steps or () for feature in step.features}
    sources = list(dict.fromkeys(made_of.get(name, name) for name in asked.columns or ()))
    if not asked.another_cohort:
        return sources
    taken = {asked.target, *(name for name, _ in asked.beside)}
    return [name for name in sources if name not in taken]


def _check_names(
    columns: Mapping[str, Column],
    known: Mapping[str, Column],
    asked: Request,
    sources: Sequence[str],
    notes: list[str],
    problems: list[str],
) -> None:
    wanted = [(name, f" for {use}", known) for name, use in asked.beside]
    if (asked.columns is None or asked.another_cohort) and asked.target:
        wanted.append((asked.target, " for the target", known))
    if asked.columns is None:
        wanted += [(asked.id_column, " for the row names", known)] if asked.id_column else []
        wanted += [(name, " to drop", columns) for name in asked.drop]
        wanted += [(name, " to keep", columns) for name in asked.keep]
    for name, use, there in wanted:
        if name not in there:
            problems.append(f"has no column {name!r}{use}.{close_to(name, there)}")
    lacking = [name for name in sources if name not in columns]
    counted = f"{len(lacking)} of the {len(sources)} columns that the model was fitted on"
    if asked.another_cohort and len(lacking) < len(sources):
        notes += [f"lacks {counted}: {listed(lacking)}"] if lacking else []
    elif lacking:
        problems.append(
            f"lacks {counted}: {listed(lacking)}. Columns are matched by name; add or rename them."
        )


def _guess_id(
    columns: Mapping[str, Column],
    readings: Mapping[str, Reading],
    ids: Mapping[str, Role],
    names: Sequence[str],
) -> str | None:
    first = next(iter(columns))
    for name in names:
        reading = readings[name]
        values = reading.by_mark[POINT]
        is_called_so = _LIKE_AN_ID.fullmatch(name) is not None or ids.get(name) is Role.ID
        is_count = (
            (name == first or ids.get(name) is Role.ID)
            and is_called_so
            and reading.is_plain
            and not reading.missing
            and bool(np.all(values == np.floor(values)))
        )
        if is_count or reading.is_text:
            words = to_names(columns[name])
            # Dates, times and numbers such as 1,234 are not names.
            is_named = is_called_so or (
                any(letter.isalpha() for word in set(words) for letter in word)
                and not read_date_column(columns[name]).is_dates
                and not are_times(columns[name])
            )
            is_named &= not any(map(_has_line_break, set(words)))
            if is_named and all(words) and _are_ids(name, words, is_first=name == first):
                return name
    return None


def _are_ids(name: str, words: Sequence[str], *, is_first: bool) -> bool:
    """True if names are all different, or repeated in a first column that is called an id."""
    n_different = len(set(words))
    is_many = n_different > MOST_CATEGORIES or 2 * n_different > len(words) > 2
    return n_different == len(words) or (
        is_first and _AN_ID.fullmatch(name) is not None and is_many
    )


def _about_names(id_column: str | None, row_names: list[str] | None, source: str) -> str:
    if row_names is None:
        return "row names: none found, rows are numbered"
    if id_column is not None:
        source = f"column {id_column!r}"
    twice = [name for name, n in Counter(row_names).items() if n > 1]
    if not twice:
        return f"row names: {source}"
    return (
        f"row names: {source}, where {listed(twice, 4)} "
        f"{'stands' if len(twice) == 1 else 'stand'} in several rows; if these belong together, "
        "keep them together with --groups"
    )


def _labels(
    asked: Request,
    known: Mapping[str, Column],
    places: Sequence[str],
    notes: list[str],
    problems: list[str],
) -> AnyArray | None:
    """Return the labels; they are checked for training if no columns were requested."""
    if asked.target is None or asked.target not in known:
        return None
    column = known[asked.target]
    if asked.is_fit:
        problem = _wrong_with_labels(asked.target, column, places)
        if problem:
            problems.append(problem)
            return None
    elif asked.another_cohort:
        return _labels_with_gaps(asked.target, column, problems)
    elif any(map(is_missing, cells_of(column))):
        notes.append(f"target {asked.target!r} has missing labels and is ignored")
        return None
    return to_labels(column)


def _wrong_with_labels(target: str, column: Column, places: Sequence[str]) -> str:
    """Return the reason why a model cannot learn from the labels, or an empty text."""
    cells = cells_of(column)
    lacking = _lacking(f"target {target!r}", cells, "labels", places)
    return lacking or no_classes(target, column, can_cut=True)


def _labels_with_gaps(target: str, column: Column, problems: list[str]) -> AnyArray | None:
    """Labels, None where there is none."""
    cells = cells_of(column)
    rows = [row for row, cell in enumerate(cells) if not is_missing(cell)]
    known = [cells[row] for row in rows]
    problem = (
        no_classes(target, known, can_cut=False) if rows else f"target {target!r} has no labels."
    )
    if problem:
        problems.append(problem)
        return None
    labels = np.full(len(cells), None, dtype=object)
    labels[rows] = to_labels(known)
    return labels


def _aside(
    use: str, columns: Mapping[str, Column], places: Sequence[str], problems: list[str]
) -> AnyArray:
    """Return columns that are no features; they must have a value in each row."""
    for name, column in columns.items():
        lacking = _lacking(f"column {name!r} for {use}", cells_of(column), "values", places)
        problems += [lacking] if lacking else []
    labels = [to_labels(column) for column in columns.values()]
    if len(labels) == 1:
        return labels[0]
    # Of different types.
    return np.array([*zip(*(column.tolist() for column in labels), strict=True)], dtype=object)


def _covariates(
    asked: Request,
    known: Mapping[str, Column],
    number_format: NumberFormat,
    places: Sequence[str],
    budget: Budget,
) -> Prepared:
    """Return columns of numbers that are no features, converted as features are, without gaps."""
    columns = {name: known[name] for name in asked.covariates if name in known}
    readings, number_format = read_columns(columns, number_format)
    if asked.another_cohort:
        flags = [Flags(name) for name, column in columns.items() if _says_yes_or_no(column)]
        return apply_steps(
            columns, readings, flags, number_format, places, budget, keep_missing=True
        )
    options = {"strict": asked.strict, "keep_missing": False, "log": False}
    return prepare(columns, readings, number_format, places, budget, **options)


def _says_yes_or_no(column: Column) -> bool:
    return {word.casefold() for word in to_names(column)} - {""} <= TRUE | FALSE


def _lacking(what: str, cells: Sequence[object], unit: str, places: Sequence[str]) -> str:
    rows = [i for i, cell in enumerate(cells) if is_missing(cell)]
    if not rows:
        return ""
    return (
        f"{what} lacks {len(rows)} of {len(cells)} {unit}, the first in {places[rows[0]]}. Fill "
        "them in or leave out such rows."
    )


def _broken(what: str, words: Sequence[object], sheet: Sheet) -> list[str]:
    """Report words with a line break, mostly rows after a quote that was not closed."""
    broken = next((word for word in words if _has_line_break(word)), None)
    if broken is None:
        return []
    line = {text.strip(): line for text, line in sheet.opened.items()}.get(str(broken))
    where = "" if line is None else f"; the quote before it opens in line {line}"
    return [f"{what} {shown(broken)} has a line break{where}. Write it in one line."]


def _has_line_break(word: object) -> bool:
    return isinstance(word, str) and ("\n" in word or "\r" in word)


def _places(numbers: Sequence[int], row_names: list[str] | None) -> list[str]:
    """Names of the rows in messages."""
    if row_names is None:
        return [f"row {i}" for i in numbers]
    return [f"row {i} ({name})" for i, name in zip(numbers, row_names, strict=True)]
