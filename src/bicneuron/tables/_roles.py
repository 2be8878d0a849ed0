"""Assign roles to the columns of a table: labels, row names, features."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron._shared._names import but_for_case, close_to
from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget
from bicneuron.tables._encoding import Encoding, has_line_break, learn, look_at
from bicneuron.tables._giveaways import columns_of, giveaways
from bicneuron.tables._ids import Role, with_name
from bicneuron.tables._missing import about_codes, codes_of_steps, parse_codes, without_codes
from bicneuron.tables._numbers import COMMA
from bicneuron.tables._prepare import Look, Options, Prepared, prepare, read_columns
from bicneuron.tables._repeats import Ids, keep_together
from bicneuron.tables._request import Request
from bicneuron.tables._sheet import (
    Column,
    Sheet,
    cells_of,
    is_missing,
    listed,
    see,
    shown,
    to_labels,
    to_names,
    without_quotes,
)
from bicneuron.tables._spelling import FALSE, TRUE
from bicneuron.tables._step import NumberFormat, Step, describe_steps
from bicneuron.tables._steps import DIFFERENT, Categories, Flags, LeftOut
from bicneuron.tables._summaries import without_summaries
from bicneuron.tables._target import labels_of, lacks, with_classes

if TYPE_CHECKING:
    import pandas as pd

    from bicneuron.tables._encoder import TableEncoder

# The most problems in one message.
_MOST_PROBLEMS = 20
# Columns of another cohort are matched ignoring case if this share of them, or
# of those of the model, has its like then, and hardly any has it otherwise.
_MOST_ALIKE, _FEW_EQUAL = 0.5, 0.1


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
    encoding : Encoding
        What was decided about the columns; `encoder` is the same as a transformer.
    warnings : tuple of str, default=()
        Columns that no longer hold what the fit saw, and rows that may belong together.
    """

    features: "pd.DataFrame"
    labels: AnyArray | None
    target: str | None
    id_column: str | None
    dropped: tuple[str, ...]
    notes: tuple[str, ...]
    aside: Mapping[str, AnyArray] = field(default_factory=dict)
    covariates: "pd.DataFrame | None" = None
    encoding: Encoding = field(default_factory=Encoding)
    warnings: tuple[str, ...] = ()

    @property
    def encoder(self) -> "TableEncoder":
        """The fitted transformer that makes the same features of other tables."""
        from bicneuron.tables._encoder import TableEncoder  # loads scikit-learn

        return TableEncoder.of(self.encoding)


def take_apart(  # noqa: C901, PLR0915  # one role after the other
    path: Path, sheet: Sheet, asked: Request, budget: Budget, probes: tuple[Step, ...]
) -> Table:
    """Assign a role to each column and convert the features; raise an error with all problems.

    ``probes`` are the steps that were applied to the sheet before.
    """
    notes: list[str] = []
    problems: list[str] = []
    known_steps = () if asked.encoding is None else asked.encoding.steps
    codes, wrong_codes = parse_codes(
        asked.missing, [*map(without_quotes, sheet.names), *sheet.aside]
    )
    problems += wrong_codes
    codes = [*codes_of_steps(known_steps), *codes]
    sheet = without_summaries(sheet, notes)
    sheet, of_classes, n_cells = with_classes(sheet, asked, codes, notes, problems)
    columns = _by_name(sheet, notes, problems)
    if asked.another_cohort:
        columns = _in_known_case(columns, asked, notes)
    known = {**sheet.aside, **columns, **sheet.aside}  # what may be a target is named first
    sources = asked.sources
    _check_names(columns, known, asked, sources, notes, problems)
    beside = {name for name, _ in asked.beside}
    taken = {asked.target, asked.id_column, *asked.drop, *beside} - {*sources}
    free = {name: column for name, column in columns.items() if name not in taken}
    needed = {*sources, *asked.keep}
    may_be_ids = [name for name in free if name not in needed]
    is_guessed = asked.id_column not in known and sheet.row_names is None
    look = look_at(
        free,
        asked.number_format,
        codes,
        first=next(iter(columns)),
        may_be_ids=may_be_ids if asked.keeps_together else (),
        may_name_rows=may_be_ids if is_guessed else (),
    )
    if look.number_format.decimal == COMMA and asked.number_format.decimal is None:
        notes.append("decimal comma")
    if codes:
        n_cells |= look.n_cells
        for name in beside & {*known}:
            known[name], n_cells[name] = without_codes(name, known[name], codes)
        notes += about_codes(codes, n_cells) if asked.is_fit else []
    id_column = asked.id_column if asked.id_column in known else look.id_column
    row_names = sheet.row_names if id_column is None else to_names(known[id_column])
    problems += [] if row_names is None else _broken("row name", row_names, sheet)
    repeated = {n: to_names(columns[n]) for n, role in look.ids.items() if role is Role.REPEATED}
    if row_names is not None and len({*row_names}) < len(row_names):
        repeated = {id_column or sheet.row_source: row_names, **repeated}
    notes.append(_about_names(id_column, row_names, sheet.row_source, look))
    places = [f"row {number}" for number in sheet.numbers]
    if row_names is not None:
        places = [f"{row} ({name})" for row, name in zip(places, row_names, strict=True)]
    options = Options(places, budget, asked.keep_missing, asked.strict, asked.log)
    if asked.encoding is None:
        encoding, made = learn(look, free, options)
        left_out = {step.column: step for step in encoding.steps if isinstance(step, LeftOut)}
        problems += [
            f"column {name!r} to keep has {DIFFERENT}; write its numbers in columns of their own."
            for name in asked.keep
            if left_out.get(name) == LeftOut(name, DIFFERENT)
        ]
        dropped = [name for name in columns if name in {*asked.drop, *left_out}]
        words = [step.column for step in encoding.steps if isinstance(step, Categories | Flags)]
        if words and asked.target is None:
            about = f"if {listed(words)} should hold the classes, name it with --target"
            made.notes.append(about)
    else:
        encoding = asked.encoding
        wanted = look.columns if asked.takes_all else sources
        names = [name for name in wanted if name in look.columns and name != look.id_column]
        made = encoding.apply(look, names, options)
        if asked.takes_all:
            encoding = Encoding(tuple(names), tuple(names))
        used = {*encoding.sources, asked.target, id_column, *beside}
        dropped = [name for name in columns if name not in used]
        notes += [f"columns that are not needed left out: {listed(dropped)}"] if dropped else []
    notes += made.notes
    problems += made.problems
    values = made.values
    if not values and not problems:
        why = "; ".join(describe_steps(made.steps))
        problems.append(f"has no column of features left{why and f' ({why})'}.")
    labels = labels_of(asked, known, places, notes, problems)
    if labels is not None:
        problems += _broken(f"target {asked.target!r}", labels.tolist(), sheet)
    aside = {
        use: _aside(use, {name: known[name] for name in names if name in known}, places, problems)
        for use, names in asked.aside.items()
    }
    covariates = _covariates(asked, known, look.number_format, places, budget)
    notes += covariates.notes
    problems += covariates.problems
    is_next = asked.encoding is not None and not asked.another_cohort
    warnings = encoding.shifts(values, places) if is_next and not problems else []
    if asked.strict:
        problems += [f"without --read strict=yes: {line}." for line in warnings]
    if problems:
        raise TableError(_message_of(path, problems))
    matrix = np.column_stack(list(values.values()))
    empty = np.flatnonzero(np.isnan(matrix).all(axis=1))
    if len(empty):
        notes.append(
            f"rows without a value in any feature: {len(empty)}, {see(empty, places)}; leave them "
            "out if they are remarks"
        )
    if asked.keeps_together:
        ids = Ids(repeated, row_names, aside.get("groups"))
        groups, about_rows, doubts = keep_together(
            matrix, ids, labels, places, guess=asked.guess_groups
        )
        notes += about_rows
        warnings += doubts
        aside |= {} if groups is None else {"groups": groups}
    if asked.is_fit:
        if labels is not None:
            notes += giveaways(columns_of(values, made.steps), labels, str(asked.target))
        encoding = replace(encoding, steps=(*probes, *codes, *encoding.steps, *of_classes))
    import pandas as pd  # takes long to load, and tables that are refused need no frame

    index = (
        pd.Index(sheet.numbers, name="row")
        if row_names is None
        else pd.Index(row_names, name=id_column or "row", dtype=object)
    )
    return Table(
        pd.DataFrame(matrix, index=index, columns=list(values)),
        labels,
        None if labels is None else asked.target,
        id_column,
        tuple(dropped),
        (*sheet.notes, *describe_steps(probes), *notes),
        aside,
        pd.DataFrame(covariates.values, index=index) if covariates.values else None,
        encoding,
        tuple(warnings),
    )


def _message_of(path: Path, problems: Sequence[str]) -> str:
    """Message of one problem in one line, or of several in one line each."""
    if len(problems) == 1:
        (problem,) = problems
        return f"{path}{' ' if problem.startswith(('has ', 'lacks ')) else ': '}{problem}"
    more = len(problems) - _MOST_PROBLEMS
    lines = [*problems[:_MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
    return "\n  ".join([f"{path} has {len(problems)} problems:", *lines])


def _by_name(sheet: Sheet, notes: list[str], problems: list[str]) -> dict[str, Column]:
    """Return columns by name without quotes, repeated ones with the same cells only once."""
    cleaned = [without_quotes(name) for name in sheet.names]
    if cleaned != sheet.names:
        notes.append("quotes around the names of columns left out")
    names = [name or f"column {j}" for j, name in enumerate(cleaned, start=1)]
    known = {*cleaned}
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
    if made := [name for name in names[1:] if name in columns and name not in known]:
        notes.append(f"columns without a name called by their place: {listed(made)}")
    if n_empty:
        notes.append(f"columns without a name and values left out: {n_empty}")
    if same:
        notes.append(f"columns with the same name and cells taken once: {listed(same)}")
    if differing:
        twice = [name for name, n in Counter(differing).items() if n]
        problems.append(f"has several columns called {listed(twice)}; give each a unique name.")
    return columns


def _in_known_case(
    columns: dict[str, Column], asked: Request, notes: list[str]
) -> dict[str, Column]:
    """Name columns as the model does if all names seem to be written in another case."""
    with_roles = {asked.target, asked.id_column, *(name for name, _ in asked.beside)}
    given = [name for name in columns if name not in with_roles]
    sources = asked.sources
    alike = but_for_case(sources, given)
    n_equal = len({*sources} & {*given})
    is_most = len(alike) >= _MOST_ALIKE * min(len(sources), len(given))
    if not alike or not is_most or n_equal > _FEW_EQUAL * len(alike):
        return columns
    first, its_like = next(iter(alike.items()))
    notes.append(f"{len(alike)} columns are matched ignoring case, as {first!r} is {its_like!r}")
    return {alike.get(name, name): column for name, column in columns.items()}


def _check_names(
    columns: Mapping[str, Column],
    known: Mapping[str, Column],
    asked: Request,
    sources: Sequence[str],
    notes: list[str],
    problems: list[str],
) -> None:
    wanted = [(name, f" for {use}", known) for name, use in asked.beside]
    if (asked.takes_all or asked.another_cohort) and asked.target:
        wanted.append((asked.target, " for the target", known))
    if asked.takes_all:
        wanted += [(asked.id_column, " for the row names", known)] if asked.id_column else []
        wanted += [(name, " to drop", columns) for name in asked.drop]
        wanted += [(name, " to keep", columns) for name in asked.keep]
    for name, use, there in wanted:
        if name not in there:
            close = close_to(name, there)
            if name == asked.target and len(known) == len(columns) and close.startswith(" There"):
                close += " If the classes are in another file, name it with --phenotype FILE."
            problems.append(f"has no column {name!r}{use}.{close}")
    lacking = [name for name in sources if name not in columns]
    counted = f"{len(lacking)} of the {len(sources)} columns that the model was fitted on"
    n_alike = len(but_for_case(lacking, columns))
    but_for = f"; {n_alike} would match if case is ignored" if n_alike else ""
    if asked.another_cohort and len(lacking) < len(sources):
        notes += [f"lacks {counted}: {listed(lacking)}{but_for}"] if lacking else []
    elif lacking:
        problem = f"lacks {counted}: {listed(lacking)}. Columns are matched by name{but_for}; "
        problem += "add or rename them."
        if not asked.another_cohort and (n_alike or len(lacking) < len(sources)):
            problem += " A second cohort is for bicneuron replicate MODEL TABLE -o page.html."
        problems.append(problem)


def _about_names(
    id_column: str | None, row_names: list[str] | None, source: str, look: Look
) -> str:
    if row_names is None:
        return "row names: none found, rows are numbered"
    note = f"row names: {source if id_column is None else f'column {id_column!r}'}"
    if look.id_column is not None and not look.readings[look.id_column].is_text:
        note += f"; {with_name('--read keep=', look.id_column)} takes it as a feature"
    return note


def _aside(
    use: str, columns: Mapping[str, Column], places: Sequence[str], problems: list[str]
) -> AnyArray:
    """Return columns that are not features; they must have a value in each row."""
    for name, column in columns.items():
        lacking = lacks(f"column {name!r} for {use}", cells_of(column), "values", places)
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
    """Return columns of numbers that are not features, converted as features are, without gaps."""
    columns = {name: known[name] for name in asked.covariates if name in known}
    options = Options(places, budget, keep_missing=asked.another_cohort, strict=asked.strict)
    steps = None
    if asked.another_cohort:
        words = {name: {*map(str.casefold, to_names(column))} for name, column in columns.items()}
        steps = [Flags(name) for name in columns if words[name] <= {"", *TRUE, *FALSE}]
    return prepare(read_columns(columns, number_format), columns, options, steps)


def _broken(what: str, words: Sequence[object], sheet: Sheet) -> list[str]:
    """Report words with a line break, mostly rows after a quote that was not closed."""
    broken = next((word for word in words if has_line_break(word)), None)
    if broken is None:
        return []
    line = {text.strip(): line for text, line in sheet.opened.items()}.get(str(broken))
    where = "" if line is None else f"; the quote before it opens in line {line}"
    return [f"{what} {shown(broken)} has a line break{where}. Write it in one line."]
