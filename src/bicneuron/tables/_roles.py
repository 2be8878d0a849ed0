"""Assign roles to the columns of a table: labels, row names, features."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._names import close_to
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
    names_of,
    see,
    shown,
    without_quotes,
)
from bicneuron.tables._changes import changes
from bicneuron.tables._conversion import Conversion
from bicneuron.tables._encoding import (
    Encoding,
    Look,
    Prepared,
    apply,
    learn,
    look_at,
    mark_of,
    parse_codes,
    without_codes,
)
from bicneuron.tables._names import Role, has_line_break, with_name
from bicneuron.tables._questions import (
    Asked,
    Question,
    ask,
)
from bicneuron.tables._sheet import (
    Sheet,
    in_known_case,
    summaries,
    unnamed_summary,
)
from bicneuron.tables._table import Request, Table, message_of, reading_rows
from bicneuron.tables._target import (
    Classes,
    about_numbers,
    alike_words,
    cut_into_classes,
    no_classes,
    read_classes,
)
from bicneuron.tables._together import Ids, keep_together


class Reader:
    """Assigns a role to each column and converts the features; problems are raised together."""

    def __init__(
        self, path: Path, sheet: Sheet, asked: Request, probes: Mapping[str, list[int]]
    ) -> None:
        self.path, self.sheet, self.asked, self.probes = path, sheet, asked, probes
        self.notes, self.problems = [*sheet.notes], list[str]()
        self.questions: list[Question] = []
        encoding, settings = asked.encoding, asked.settings
        names = [*map(without_quotes, sheet.names), *sheet.aside]
        self.codes, wrong = parse_codes(settings.missing, names)
        self.codes = [*(encoding.codes if encoding is not None else ()), *self.codes]
        self.problems += wrong
        self.decimal = mark_of(settings.decimal)

    def table(self) -> Table:
        """Read everything, or raise an error with all problems."""
        asked = self.asked
        named = [asked.target, asked.id_column, *asked.drop, *asked.settings.keep, *asked.beside]
        self.sheet, about = in_known_case(self.sheet, [*filter(None, named), *asked.sources])
        self.notes += about
        n, note = summaries(self.sheet.names, self.sheet.columns)
        if n:
            self.sheet = self.sheet.with_rows(range(self.sheet.n_rows - n))
            self.notes.append(note)
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
        is_next = not self.asked.is_fit and not self.asked.another_cohort
        if is_next and not self.problems and encoding.seen is not None:
            self.questions += changes(made.values, encoding.seen, self.places)
        if self.problems:
            raise TableError(message_of(self.path, self.problems))
        matrix = np.column_stack([*made.values.values()])
        empty = np.flatnonzero(np.isnan(matrix).all(axis=1))
        if len(empty):
            self.notes.append(
                f"rows without a value in any feature: {len(empty)}, {see(empty, self.places)}; "
                "leave them out if they are remarks"
            )
        if self.asked.is_fit or self.asked.another_cohort:
            self._keep_together(matrix, aside, labels, look)
        if self.asked.is_fit:
            self._ask(encoding, made, look, labels)
            encoding = replace(
                encoding, codes=tuple(self.codes), classes=self.classes, probes=dict(self.probes)
            )
        return self._as_table(matrix, labels, aside, covariates, encoding, made, look)

    def _read_target(self) -> None:
        """Write each class in one spelling, and leave out rows without a class in a fit."""
        asked, sheet, target = self.asked, self.sheet, self.asked.target or ""
        merge, cut = asked.settings.merge, asked.settings.cut
        of_fit = None if asked.encoding is None else asked.encoding.classes
        self.classes = Classes() if of_fit is None else of_fit
        if cut and target not in cut:
            self.problems.append(
                f"the cut is of {next(iter(cut))!r}, and the target is {asked.target!r}; name that."
            )
        places = [j for j, name in enumerate(sheet.names) if without_quotes(name) == target]
        if asked.target is None or not (places or target in sheet.aside):
            return
        column = sheet.aside[target] if target in sheet.aside else sheet.columns[places[0]]
        column = without_codes(target, column, self.codes)
        self._check_lines(f"target {target!r}", cells_of(column))
        is_known = of_fit is not None and of_fit.column == target
        if of_fit is not None and is_known and target not in cut:
            column = of_fit.apply(column)
        if target in cut or merge or not is_known:
            limits = cut.get(target)
            read = (
                read_classes(target, column, merge)
                if limits is None
                else cut_into_classes(target, column, limits)
            )
            column = read.column
            self.problems += read.problems if limits or asked.is_fit or merge else ()
            if asked.is_fit:
                self.classes = read.classes
                self.notes += read.notes
                self.questions += read.questions
        if asked.is_fit:
            self.questions += about_numbers(target, column)
        if target in sheet.aside:
            self.sheet = replace(sheet, aside={**sheet.aside, target: column})
        else:
            columns = [column if j in places else one for j, one in enumerate(sheet.columns)]
            self.sheet = replace(sheet, columns=columns)
        rows = [row for row, cell in enumerate(cells_of(column)) if not is_missing(cell)]
        if asked.is_fit and 0 < len(rows) < sheet.n_rows:
            n_lacking = sheet.n_rows - len(rows)
            self.notes.append(f"rows without a class in {target!r} left out: {n_lacking}")
            self.sheet = self.sheet.with_rows(rows)

    def _by_name(self) -> dict[str, Column]:
        """Columns by name without quotes, repeated ones with the same cells only once."""
        cleaned = [without_quotes(name) for name in self.sheet.names]
        names = [name or f"column {j}" for j, name in enumerate(cleaned, start=1)]
        columns: dict[str, Column] = {}
        differing, same, n_empty = list[str](), list[str](), 0
        for place, (name, column) in enumerate(zip(names, self.sheet.columns, strict=True)):
            if not cleaned[place] and all(map(is_missing, cells_of(column))):
                n_empty += 1  # as spreadsheets write them beside the data
            elif name not in columns:
                columns[name] = column
            else:
                is_same = cells_of(column) == cells_of(columns[name])
                (same if is_same else differing).append(name)
        made = [name for name, own in zip(names[1:], cleaned[1:], strict=True) if not own]
        if made := [name for name in made if name in columns]:
            self.notes.append(f"columns without a name called by their place: {listed(made)}")
        if n_empty:
            self.notes.append(f"columns without a name and values left out: {n_empty}")
        if same:
            self.notes.append(f"columns with the same name and cells taken once: {listed(same)}")
        if differing:
            twice = listed(dict.fromkeys(differing))
            self.problems.append(f"has several columns called {twice}; give each a unique name.")
        return columns

    def _check_names(self) -> None:
        asked, problems = self.asked, self.problems
        wanted = [(name, f" for {use}", True) for name, use in asked.beside.items()]
        if (asked.takes_all or asked.another_cohort) and asked.target:
            wanted.append((asked.target, " for the target", True))
        if asked.takes_all:
            if asked.id_column:
                wanted.append((asked.id_column, " for the row names", True))
            wanted += [(name, " to drop", False) for name in asked.drop]
            wanted += [(name, " to keep", False) for name in asked.settings.keep]
        for name, use, aside in wanted:
            there = self.known if aside else self.columns
            if name in there:
                continue
            close = close_to(name, there)
            if name == asked.target and len(there) == len(self.columns) and "There are" in close:
                close += " If the classes are in another file, name it with --phenotype FILE."
            problems.append(f"has no column {name!r}{use}.{close}")
        sources = asked.sources
        lacking = [name for name in sources if name not in self.columns]
        counted = f"{len(lacking)} of the {len(sources)} columns that the model was fitted on"
        if asked.another_cohort and len(lacking) < len(sources):
            self.notes += [f"lacks {counted}: {listed(lacking)}"] if lacking else []
        elif lacking:
            problem = f"lacks {counted}: {listed(lacking)}. Columns are matched by name; "
            problem += "add or rename them."
            if not asked.another_cohort and len(lacking) < len(sources):
                problem += " A second cohort is for bicneuron replicate MODEL TABLE -o page.html."
            problems.append(problem)

    def _look(self) -> Look:
        """Read the columns, and find the names of the rows and their places for messages."""
        asked, columns = self.asked, self.columns
        taken = {asked.target, asked.id_column, *asked.drop, *asked.beside} - {*asked.sources}
        self.free = {name: column for name, column in columns.items() if name not in taken}
        needed = {*asked.sources, *asked.settings.keep}
        look = look_at(
            self.free,
            self.decimal,
            self.codes,
            first=next(iter(columns), ""),
            may_be_ids=[name for name in self.free if name not in needed],
            names_rows=asked.id_column not in self.known and self.sheet.row_names is None,
        )
        if look.decimal == COMMA and self.decimal is None:
            self.notes.append("decimal comma")
        for name in {*asked.beside} & {*self.known}:
            self.known[name] = without_codes(name, self.known[name], self.codes)
        named = asked.id_column if asked.id_column in self.known else look.id_column
        names = self.sheet.row_names if named is None else names_of(self.known[named])
        self.id_column, self.row_names = named, names
        self.places = [f"row {number}" for number in self.sheet.numbers]
        if names is not None:
            self._check_lines("row name", names)
            pairs = zip(self.places, names, strict=True)
            self.places = [f"{row} ({name})" for row, name in pairs]
        return look

    def _check_lines(self, what: str, words: Sequence[object]) -> None:
        """Report words with a line break, mostly rows after a quote that was not closed."""
        if broken := next((word for word in words if has_line_break(word)), None):
            text = f"{what} {shown(broken)} has a line break. Write it in one line."
            self.problems.append(text)

    def _features(self, look: Look) -> tuple[Encoding, Prepared]:
        asked = self.asked
        if asked.encoding is None:
            log = bool(asked.settings.log)
            encoding, made = learn(look, self.free, self.places, log=log)
            words = [o.column for o in encoding.conversions if o.kind in ("category", "yes/no")]
            if words and asked.target is None:
                self.notes.append(
                    f"if {listed(words)} should hold the classes, name it with --target"
                )
        else:
            encoding = asked.encoding.stated(self.decimal, asked.settings.log)
            wanted = [*look.columns] if asked.takes_all else asked.sources
            names = [name for name in wanted if name in look.columns and name != look.id_column]
            made = apply(encoding, look, names, self.places)
            if asked.takes_all:
                encoding = Encoding(tuple(names), tuple(names))
        self.notes += made.notes
        self.problems += made.problems
        return encoding, made

    def _labels(self) -> AnyArray | None:
        """The labels; in another cohort they may have gaps, which are None."""
        asked = self.asked
        if asked.target is None or asked.target not in self.known:
            return None
        target, column = f"target {asked.target!r}", self.known[asked.target]
        cells = cells_of(column)
        rows = [row for row, cell in enumerate(cells) if not is_missing(cell)]
        problem = ""
        if asked.is_fit:
            problem = self._lacks(target, cells, "labels") or no_classes(asked.target, column)
        elif asked.another_cohort:
            column = [cells[row] for row in rows]
            problem = no_classes(asked.target, column) if rows else f"{target} has no labels."
        elif len(rows) < len(cells):
            self.notes.append(f"{target} has missing labels and is ignored")
            return None
        if problem:
            self.problems.append(problem)
            return None
        labels = labels_of(column)
        if not asked.another_cohort:
            return labels
        with_gaps = np.full(len(cells), None, dtype=object)
        with_gaps[rows] = labels
        return with_gaps

    def _lacks(self, what: str, cells: Sequence[object], unit: str) -> str:
        """Say that cells without a value are not allowed, if there are any."""
        rows = [row for row, cell in enumerate(cells) if is_missing(cell)]
        first = self.places[rows[0]] if rows else ""
        lacks = f"{what} lacks {len(rows)} of {len(cells)} {unit}, the first in {first}"
        return f"{lacks}. Fill them in or leave out such rows." if rows else ""

    def _aside(self, look: Look) -> tuple[dict[str, AnyArray], dict[str, FloatArray]]:
        """Columns that are not features: those by their use, and covariates as numbers."""
        found = {}
        for use, names in self.asked.aside.items():
            columns = {name: self.known[name] for name in names if name in self.known}
            if use == "covariates" or not columns:
                continue
            for name, column in columns.items():
                lacking = self._lacks(f"column {name!r} for {use}", cells_of(column), "values")
                self.problems += [lacking] if lacking else []
            labels = [labels_of(column) for column in columns.values()]
            # Of different types.
            cells = [*zip(*(one.tolist() for one in labels), strict=True)]
            found[use] = labels[0] if len(labels) == 1 else np.array(cells, dtype=object)
        named = self.asked.aside.get("covariates", ())
        columns = {name: self.known[name] for name in named if name in self.known}
        if not columns:
            return found, {}
        own, gaps = look_at(columns, look.decimal), {}
        if self.asked.another_cohort:  # numbers, or yes and no, which may have gaps
            words = {name: {*map(str.casefold, names_of(one))} for name, one in columns.items()}
            flags = [name for name in columns if words[name] <= {"", *TRUE, *FALSE}]
            conversions = tuple(Conversion(name, "yes/no", ("true", "false")) for name in flags)
            made = apply(Encoding(conversions=conversions), own, columns, self.places)
        else:
            _, made = learn(own, columns, self.places, log=False)
            gaps = made.missing
        self.problems += [
            f"covariate {name!r} lacks {n} of {len(self.places)} values. Fill them in or leave out "
            "such rows."
            for name, n in gaps.items()
        ]
        self.notes += made.notes
        self.problems += made.problems
        return found, made.of_columns

    def _keep_together(
        self, matrix: FloatArray, aside: dict[str, AnyArray], labels: Any, look: Look
    ) -> None:
        names = self.row_names
        repeated = {
            name: names_of(self.columns[name])
            for name, role in look.ids.items()
            if role is Role.REPEATED
        }
        if names is not None and len({*names}) < len(names):
            repeated = {self.id_column or self.sheet.row_source: names, **repeated}
        ids = Ids(repeated, names, aside.get("groups"))
        guess = "groups" not in self.asked.aside
        groups, notes, doubts = keep_together(matrix, ids, labels, self.places, guess=guess)
        self.notes += notes
        self.questions += [Question("together", "", text) for text in doubts]
        if groups is not None:
            aside["groups"] = groups

    def _ask(self, encoding: Encoding, made: Prepared, look: Look, labels: Any) -> None:
        """Ask about what was read in a fit."""
        conversions = {one.column: one for one in encoding.conversions}
        others = {name for name, one in conversions.items() if one.kind != "number"}
        numbers = [name for name in made.of_columns if name not in others]
        values = [made.of_columns[name] for name in numbers]
        if problem := unnamed_summary(values, self.places):
            raise TableError(message_of(self.path, [problem]))
        asked = Asked(
            made.of_columns,
            numbers,
            look.columns,
            conversions,
            look.ids,
            labels,
            str(self.asked.target),
            self.places,
        )
        self.questions += [*ask(asked), *alike_words(conversions, look.columns)]
        ids = [
            name
            for name, role in look.ids.items()
            if role in (Role.ID, Role.REPEATED) and not look.readings[name].is_text
        ]
        for name in ids:
            way = f"{with_name('--read keep=', name)} takes it as a feature"
            self.notes.append(f"column {name!r} taken for an id; {way}")

    def _as_table(
        self,
        matrix: FloatArray,
        labels: AnyArray | None,
        aside: Mapping[str, AnyArray],
        covariates: Mapping[str, FloatArray],
        encoding: Encoding,
        made: Prepared,
        look: Look,
    ) -> Table:
        # It takes long to load, and tables that are refused need no frame.
        pd = import_extra("pandas", "tables need pandas: pip install 'bicneuron[tables]'.")
        names = self.row_names
        index = (
            pd.Index(self.sheet.numbers, name="row")
            if names is None
            else pd.Index(names, name=self.id_column or "row", dtype=object)
        )
        ids = [name for name, role in look.ids.items() if role in (Role.ID, Role.REPEATED)]
        roles = dict.fromkeys(ids, ("id", "an id")) | {self.id_column: ("id", "row names")}
        roles |= {name: ("set aside", use) for name, use in self.asked.beside.items()}
        roles |= {self.asked.target: ("target", self.classes.about)}
        conversions = {one.column: one for one in encoding.conversions}
        return Table(
            pd.DataFrame(matrix, index=index, columns=[*made.values]),
            labels,
            None if labels is None else self.asked.target,
            self.id_column,
            tuple(self.notes),
            tuple(self.questions),
            pd.DataFrame(
                [*reading_rows([*self.columns], roles, conversions, made.of_columns, made.missing)],
                columns=["column", "kind", "range", "missing", "changed"],
            ).set_index("column"),
            aside,
            pd.DataFrame(covariates, index=index) if covariates else None,
            encoding,
        )
