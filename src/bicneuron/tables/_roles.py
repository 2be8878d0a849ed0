"""Assign roles to the columns of a table: labels, row names, features."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._names import but_for_case, close_to
from bicneuron._shared._together import close_rows
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import (
    COMMA,
    FALSE,
    TRUE,
    Column,
    cells_of,
    is_missing,
    labels_of,
    listed,
    mark_of,
    names_of,
    shown,
    some,
    without_quotes,
)
from bicneuron.tables._conversion import Conversion
from bicneuron.tables._encoding import (
    Encoding,
    Look,
    Prepared,
    apply,
    learn,
    look_at,
    parse_codes,
    without_codes,
)
from bicneuron.tables._ids import Role, keep_together
from bicneuron.tables._questions import Asked, Question, ask, changes, with_name
from bicneuron.tables._sheet import Sheet, summary_below
from bicneuron.tables._table import Request, Table
from bicneuron.tables._target import Classes, alike_words, no_classes, read_target

if TYPE_CHECKING:
    import pandas as pd

_MOST_PROBLEMS = 20  # in one message


class Reader:
    """Assigns a role to each column and converts the features; problems are raised together."""

    def __init__(self, path: Path, sheet: Sheet, asked: Request) -> None:
        self.path, self.sheet, self.asked = path, sheet, asked
        self.notes, self.problems = [*sheet.notes], list[str]()
        self.questions: list[Question] = []
        settings = asked.settings
        names = [*map(without_quotes, sheet.names), *sheet.aside]
        self.codes, wrong = parse_codes(settings.missing, names)
        self.codes = [*(() if asked.encoding is None else asked.encoding.codes), *self.codes]
        self.problems += wrong
        self.decimal = mark_of(settings.decimal)
        # Where no features are named.
        self.takes_all = asked.encoding is None or asked.encoding.features is None

    def table(self) -> Table:
        """Read everything, or raise an error with all problems."""
        asked = self.asked
        self._take_known_case()
        self._read_target()
        self.columns = self._by_name()
        beside = self.sheet.aside  # what may be a target is named first
        self.known: dict[str, Column] = {**beside, **self.columns, **beside}
        self._check_names()
        look = self._look()
        encoding, made = self._features(look)
        labels = self._labels()
        aside, covariates = self._aside(look)
        if not made.values and not self.problems:
            why = "; ".join(encoding.about)
            self.problems.append(f"has no column of features left{why and f' ({why})'}.")
        words = {one.column for one in encoding.conversions if one.kind != "number"}
        numbers = [values for name, values in made.of_columns.items() if name not in words]
        if problem := summary_below(numbers, self.places):
            self.problems.append(problem)
        if self.problems:
            raise TableError(message_of(self.path, self.problems))
        matrix = np.column_stack([*made.values.values()])
        if asked.is_fit or asked.another_cohort:
            self._keep_together(matrix, aside, labels, look)
        if asked.is_fit:
            self._ask(encoding, made, look, labels)
            encoding = replace(encoding, codes=(*self.codes,), classes=self.classes)
        elif not asked.another_cohort:
            self.questions += changes(made.values, encoding.seen, self.places)
        # It takes long to load, and tables that are refused need no frame.
        pd = import_extra("pandas", "tables need pandas: pip install 'bicneuron[tables]'.")
        index = pd.Index(self.sheet.numbers, name="row")
        if self.row_names is not None:
            index = pd.Index(self.row_names, name=self.id_column or "row", dtype=object)
        return Table(
            pd.DataFrame(matrix, index=index, columns=[*made.values]),
            labels,
            None if labels is None else asked.target,
            self.id_column,
            tuple(self.notes),
            tuple(self.questions),
            self._reading(encoding, made, look),
            aside,
            pd.DataFrame(covariates, index=index) if covariates else None,
            encoding,
        )

    def _take_known_case(self) -> None:
        """Call columns that were named in other capital letters so, with a note."""
        asked, cleaned = self.asked, [*map(without_quotes, self.sheet.names)]
        named = (asked.target, asked.id_column, *asked.drop, *asked.settings.keep, *asked.beside)
        wanted = [name for name in (*named, *asked.sources) if name]
        if alike := but_for_case(wanted, [*cleaned, *self.sheet.aside]):
            names = [alike.get(name, name) for name in cleaned]
            aside = {alike.get(name, name): one for name, one in self.sheet.aside.items()}
            self.sheet = replace(self.sheet, names=names, aside=aside)
            pairs = [f"{name!r} for {known!r}" for name, known in alike.items()]
            self.notes.append(f"columns taken ignoring case: {some(pairs, 3)}")

    def _read_target(self) -> None:
        """Write each class in one spelling, and leave out rows without a class in a fit."""
        asked, sheet, name = self.asked, self.sheet, self.asked.target or ""
        of_fit = None if asked.encoding is None else asked.encoding.classes
        self.classes = of_fit or Classes()
        places = [j for j, other in enumerate(sheet.names) if without_quotes(other) == name]
        if not name or not (places or name in sheet.aside):
            return
        column = sheet.aside[name] if name in sheet.aside else sheet.columns[places[0]]
        column = without_codes(name, column, self.codes)
        cells = [cell for cell in cells_of(column) if isinstance(cell, str)]
        if broken := [cell for cell in cells if len(cell.splitlines()) > 1]:
            said = f"target {name!r} {shown(broken[0])} has a line break. Write it in one line."
            self.problems.append(said)
        read = read_target(name, column, asked.settings.merge, of_fit)
        self.problems += read.problems
        self.notes += read.notes
        self.questions += read.questions
        self.classes = read.classes
        if name in sheet.aside:
            self.sheet = replace(sheet, aside={**sheet.aside, name: read.column})
        else:
            columns = [read.column if j in places else one for j, one in enumerate(sheet.columns)]
            self.sheet = replace(sheet, columns=columns)
        rows = _filled_rows(read.column)
        if asked.is_fit and 0 < len(rows) < sheet.n_rows:
            n = sheet.n_rows - len(rows)
            self.notes.append(f"rows without a class in {name!r} left out: {n}")
            self.sheet = self.sheet.with_rows(rows)

    def _by_name(self) -> dict[str, Column]:
        """Columns by name without quotes; those without a name are called by their place."""
        columns: dict[str, Column] = {}
        twice = list[str]()
        pairs = zip(map(without_quotes, self.sheet.names), self.sheet.columns, strict=True)
        for place, (given, column) in enumerate(pairs, start=1):
            name = given or f"column {place}"
            if given or _filled_rows(column):  # spreadsheets write empty ones beside the data
                twice += [name] * (name in columns)
                columns.setdefault(name, column)
        if twice:
            names = listed(dict.fromkeys(twice))
            self.problems.append(f"has several columns called {names}; give each a unique name.")
        return columns

    def _check_names(self) -> None:
        asked, known, columns = self.asked, self.known, self.columns
        wanted: list[Any] = [(name, f" for {use}", known) for name, use in asked.beside.items()]
        if self.takes_all or asked.another_cohort:
            wanted.append((asked.target, " for the target", known))
        if self.takes_all:
            wanted.append((asked.id_column, " for the row names", known))
            wanted += [(name, " to drop", columns) for name in asked.drop]
            wanted += [(name, " to keep", columns) for name in asked.settings.keep]
        for name, use, there in wanted:
            if name is not None and name not in there:
                close = close_to(name, there)
                if name == asked.target and not self.sheet.aside and "There are" in close:
                    close += " If the classes are in another file, name it with --phenotype FILE."
                self.problems.append(f"has no column {name!r}{use}.{close}")
        sources = asked.sources
        lacking = [name for name in sources if name not in columns]
        counted = f"{len(lacking)} of the {len(sources)} columns that the model was fitted on"
        if asked.another_cohort and 0 < len(lacking) < len(sources):
            self.notes.append(f"lacks {counted}: {listed(lacking)}")
        elif lacking:
            way = "Columns are matched by name; add or rename them. A second cohort is for "
            way += "bicneuron replicate MODEL TABLE -o page.html."
            self.problems.append(f"lacks {counted}: {listed(lacking)}. {way}")

    def _look(self) -> Look:
        """Read the columns, and find the names of the rows and their places for messages."""
        asked, columns = self.asked, self.columns
        taken = {asked.target, asked.id_column, *asked.drop, *asked.beside} - {*asked.sources}
        self.free = {name: column for name, column in columns.items() if name not in taken}
        needed = {*asked.sources, *asked.settings.keep}
        may_be_ids = [name for name in self.free if name not in needed]
        has_names = asked.id_column in self.known or self.sheet.row_names is not None
        first = None if has_names else next(iter(columns), "")
        look = look_at(self.free, self.decimal, self.codes, may_be_ids=may_be_ids, first=first)
        if look.decimal == COMMA and self.decimal is None:
            self.notes.append("decimal comma")
        for name in {*asked.beside} & {*self.known}:
            self.known[name] = without_codes(name, self.known[name], self.codes)
        named = asked.id_column if asked.id_column in self.known else look.id_column
        names = self.sheet.row_names if named is None else names_of(self.known[named])
        self.id_column, self.row_names = named, names
        self.places = [f"row {number}" for number in self.sheet.numbers]
        if names is not None:
            self.places = [f"{row} ({name})" for row, name in zip(self.places, names, strict=True)]
        return look

    def _features(self, look: Look) -> tuple[Encoding, Prepared]:
        asked = self.asked
        if asked.encoding is None:
            log = bool(asked.settings.log)
            encoding, made = learn(look, self.free, self.places, log=log)
            words = [o.column for o in encoding.conversions if o.kind in ("category", "yes/no")]
            if words and asked.target is None:
                way = "should hold the classes, name it with --target"
                self.notes.append(f"if {listed(words)} {way}")
        else:
            encoding = asked.encoding.stated(self.decimal, asked.settings.log)
            wanted = [*look.columns] if self.takes_all else asked.sources
            names = [name for name in wanted if name in look.columns and name != look.id_column]
            made = apply(encoding, look, names, self.places)
            if self.takes_all:
                encoding = Encoding(tuple(names), tuple(names))
        self.notes += made.notes
        self.problems += made.problems
        return encoding, made

    def _labels(self) -> AnyArray | None:
        """The labels; in another cohort they may have gaps, which are None."""
        name, needs_classes = self.asked.target, self.asked.is_fit or self.asked.another_cohort
        if name is None or name not in self.known:
            return None
        cells, rows = cells_of(self.known[name]), _filled_rows(self.known[name])
        if len(rows) < len(cells) and not needs_classes:
            self.notes.append(f"target {name!r} has missing labels and is ignored")
            return None
        filled = [cells[row] for row in rows]
        if needs_classes:
            problem = no_classes(name, filled) if rows else f"target {name!r} has no labels."
            self.problems += filter(None, [problem])
        labels = np.full(len(cells), None, dtype=object)
        labels[rows] = labels_of(filled)
        return labels_of(filled) if len(rows) == len(cells) else labels

    def _aside(self, look: Look) -> tuple[dict[str, AnyArray], dict[str, FloatArray]]:
        """Columns that are not features: those by their use, and covariates as numbers."""
        found, covariates, may_lack = {}, dict[str, Column](), self.asked.another_cohort
        for use, names in self.asked.aside.items():
            columns = {name: self.known[name] for name in names if name in self.known}
            if use == "covariates":
                covariates = columns
            elif columns:
                labels = [labels_of(column) for column in columns.values()]
                rows = [*zip(*(one.tolist() for one in labels), strict=True)]  # of different types
                found[use] = labels[0] if len(labels) == 1 else np.array(rows, dtype=object)
            for name in () if may_lack and use == "covariates" else columns:
                if n_missing := len(self.places) - len(_filled_rows(columns[name])):
                    lacks = f"column {name!r} for {use} lacks {n_missing} of {len(self.places)}"
                    way = "Fill them in or leave out such rows."
                    self.problems.append(f"{lacks} values. {way}")
        own = look_at(covariates, look.decimal)
        if may_lack:  # numbers, or yes and no, of which there may be one only
            words = {name: {*map(str.casefold, names_of(one))} for name, one in covariates.items()}
            flags = [name for name in words if words[name] <= {"", *TRUE, *FALSE}]
            conversions = tuple(Conversion(name, "yes/no", ("false", "true")) for name in flags)
            made = apply(Encoding(conversions=conversions), own, covariates, self.places)
        else:
            _, made = learn(own, covariates, self.places, log=False)
        self.notes += made.notes
        self.problems += made.problems
        return found, made.of_columns

    def _keep_together(
        self, matrix: FloatArray, aside: dict[str, AnyArray], labels: Any, look: Look
    ) -> None:
        names, roles = self.row_names, look.ids.items()
        repeated = {one: names_of(self.columns[one]) for one, r in roles if r is Role.REPEATED}
        if names is not None and len({*names}) < len(names):
            repeated = {self.id_column or "row names": names, **repeated}
        guess, named = "groups" not in self.asked.aside, aside.get("groups")
        stems_of = names if guess else None
        groups, notes = keep_together(matrix, repeated, stems_of, named, labels, self.places)
        self.notes += notes
        if groups is not None:
            aside["groups"] = groups
        elif guess and (n := int(close_rows(matrix).sum())):
            pairs = f"{n} of {len(matrix)} rows come in pairs that are far more alike than others"
            way = "samples of one patient? Name the column of patients with --groups"
            self.questions.append(Question("together", "", f"{pairs}: {way}"))

    def _ask(self, encoding: Encoding, made: Prepared, look: Look, labels: Any) -> None:
        """Ask about what was read in a fit."""
        others = {one.column for one in encoding.conversions if one.kind != "number"}
        numbers = [name for name in made.of_columns if name not in others]
        columns, known = look.columns, encoding.conversions
        asked = Asked(made.of_columns, numbers, columns, known, look.ids, labels, self.places)
        self.questions += [*ask(asked), *alike_words(known, columns)]
        for name in _ids(look):
            if not look.readings[name].is_text:
                way = f"{with_name('--read keep=', name)} takes it as a feature"
                self.notes.append(f"column {name!r} taken for an id; {way}")

    def _reading(self, encoding: Encoding, made: Prepared, look: Look) -> "pd.DataFrame":
        """What each column of the file is read as."""
        import pandas as pd

        roles = dict.fromkeys(_ids(look), ("id", "an id"))
        roles |= {self.id_column or "": ("id", "row names")}
        roles |= {name: ("set aside", use) for name, use in self.asked.beside.items()}
        roles |= {self.asked.target or "": ("target", self.classes.about)}
        rows = dict.fromkeys(self.columns, ("left out", "", 0, ""))
        for name, values in made.of_columns.items():
            filled = values[np.isfinite(values)]
            span = f"{filled.min():g} to {filled.max():g}" if len(filled) else ""
            rows[name] = ("number", span, made.missing.get(name, 0), "")
        for one in (one for one in encoding.conversions if one.column in rows):
            _, span, n_missing, _ = rows[one.column]
            span = ", ".join(one.words[:4]) or span
            rows[one.column] = (one.kind, span, n_missing, one.about)
        for name, (kind, about) in roles.items():
            if name in rows:
                rows[name] = (kind, "", made.missing.get(name, 0), about)
        names = ["kind", "range", "missing", "changed"]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=names)
        return table.rename_axis("column")


def _ids(look: Look) -> list[str]:
    return [name for name, role in look.ids.items() if role in (Role.ID, Role.REPEATED)]


def _filled_rows(column: Column) -> list[int]:
    return [row for row, cell in enumerate(cells_of(column)) if not is_missing(cell)]


def message_of(path: Path, problems: Sequence[str]) -> str:
    """Message of one problem in one line, or of several in one line each."""
    if len(problems) == 1:
        return f"{path}{' ' if problems[0].startswith(('has ', 'lacks ')) else ': '}{problems[0]}"
    return "\n  ".join([f"{path} has {len(problems)} problems:", *problems[:_MOST_PROBLEMS]])
