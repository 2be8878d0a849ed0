"""Read a table: its columns become labels, row names and features, and what was guessed is said."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._large_files import side_by_side
from bicneuron._shared._names import but_for_case, close_to
from bicneuron._shared._together import close_rows
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import TableError
from bicneuron.tables import _cells, _sheet
from bicneuron.tables._cells import Column, cells_of, listed, names_of, shown, without_quotes
from bicneuron.tables._conversion import Conversion
from bicneuron.tables._encoding import Encoding, apply, learn, look_at, parse_codes, without_codes
from bicneuron.tables._files import read_sheet
from bicneuron.tables._ids import Role, keep_together
from bicneuron.tables._questions import Asked, Question, ask, changes, with_name
from bicneuron.tables._sheet import Sheet, joined, taken, transposed
from bicneuron.tables._table import Request, Settings, Table
from bicneuron.tables._target import (
    Classes,
    alike_words,
    event_cells,
    no_classes,
    read_target,
    survival_problems,
    taken_as_numbers,
)

if TYPE_CHECKING:
    import pandas as pd

    from bicneuron.tables._encoder import TableEncoder


def read_table(  # noqa: PLR0913  # how the columns of a file are used
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    id_column: str | None = None,
    drop: Iterable[str] = (),
    aside: Mapping[str, str | Sequence[str]] | None = None,
    phenotype: str | os.PathLike[str] | None = None,
    encoder: "TableEncoder | Encoding | None" = None,
    another_cohort: bool = False,
    takes_numbers: bool = False,
    settings: Settings | None = None,
) -> Table:
    r"""Read a table, as numbers with row names and labels; a TableError lists all problems.

    It is text (CSV, TSV, GCT, series matrix of GEO; also in ``.gz`` and ``.zip``), Excel (the sheet
    with the target, or else the first), Parquet or ``.h5ad``. Encoding, delimiter and decimal mark
    are guessed. Columns become numbers where that is safe; columns without information and rows
    without a class are left out. ``reading`` says what was done.

    Parameters
    ----------
    path : path-like
    target : str, default=None
        Column with the labels; of ``.h5ad`` a column of ``obs``.
    id_column : str, default=None
        Column with the row names. None takes the first column of ids, if there is one.
    drop : iterable of str, default=()
        Columns to leave out.
    aside : mapping of str to str or sequence of str, default=None
        Columns that are not features, by their use: ``"covariates"`` are numbers, ``"outcome"`` a
        time and an event, and ``"groups"`` rows that belong together, guessed from the row names
        unless it is there, also empty.
    phenotype : path-like, default=None
        Another table, which may hold the target; its ``id_column`` holds the row names.
    encoder : TableEncoder, default=None
        ``encoder`` of the table that a model was fitted on: this table is read as that one.
    another_cohort : bool, default=False
        The table is a second cohort: it may lack columns, and labels, which are None.
    takes_numbers : bool, default=False
        The target may be numbers, which become the ``outcome``.
    settings : Settings, default=None
        How it is read where it can be read in several ways.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("name;size;class\nanna;1,5;a\nbert;2;b\n")
    ...     read_table(path, target="class").features
          size
    name
    anna   1.5
    bert   2.0
    """
    path, phenotype = Path(path), None if phenotype is None else Path(phenotype)
    encoding = encoder if isinstance(encoder, Encoding) or encoder is None else encoder.encoding_
    roles = {use: (n,) if isinstance(n, str) else tuple(n) for use, n in (aside or {}).items()}
    own_id, given = id_column if phenotype is None else None, settings or Settings()
    way = another_cohort, takes_numbers
    asked = Request(target, own_id, tuple(drop), roles, encoding, *way, given)
    return Reader(path, _shaped(path, asked, phenotype, id_column), asked).table()


def check(frame: "pd.DataFrame", target: str | None = None) -> list[Question]:
    """Questions (rule, column, text with the way out) about a table, before a model learns from it.

    Parameters
    ----------
    frame : DataFrame
    target : str, default=None
        Column with the classes.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 45, 52, 61, 38, 999, 47, 999], "kind": [*"ababbaab"]})
    >>> check(frame, "kind")[0].text  # doctest: +ELLIPSIS
    "'age' holds 999 in 2 rows, beyond all other values, see row 6 and row 8; if it means ..."
    """
    return [*Reader(Path("table"), _sheet.of_frame(frame), Request(target)).table().questions]


def _shaped(path: Path, asked: Request, phenotype: Path | None, id_column: str | None) -> Sheet:
    """The sheet of a file, with samples in rows and columns of another file beside it."""
    given, target = asked.settings, asked.target
    wanted = asked.sources or ([] if target is None else [target])
    # With a decimal comma 1.234 is another number, also where it is not alone.
    known = () if asked.encoding is None else asked.encoding.conversions
    as_text = given.decimal == "comma" or any(one.decimal == _cells.COMMA for one in known)
    sheet = read_sheet(path, given.layer, wanted, as_text=as_text)
    if given.transpose:
        sheet = transposed(path, sheet)
    if phenotype is not None:
        other = read_sheet(phenotype, wanted=[*filter(None, (id_column, target))])
        sheet = joined(path, sheet, phenotype, other, id_column, turn=given.transpose is None)
    elif given.transpose is None and sheet.row_names is None and len(sheet.columns) > 1:
        are_rows = not {*wanted}.isdisjoint(names_of(sheet.columns[0]))
        if are_rows and {*wanted}.isdisjoint(map(without_quotes, sheet.names)):
            what = repr(target) if asked.encoding is None else "columns of the model"
            sheet = transposed(path, sheet, f"{what} found in rows; if not: --read transpose=no")
    return _sheet.with_probes(sheet)


class Reader:
    """Assigns a role to each column and converts the features; problems are raised together."""

    def __init__(self, path: Path, sheet: Sheet, asked: Request) -> None:
        names = [*map(without_quotes, sheet.names)]
        self.path, self.asked, self.sheet = path, asked, replace(sheet, names=names)
        self.notes, self.questions = [*sheet.notes], list[Question]()
        codes, self.problems = parse_codes(asked.settings.missing, [*names, *sheet.aside])
        self.codes = (*(() if asked.encoding is None else asked.encoding.codes), *codes)
        self.decimal = _cells.mark_of(asked.settings.decimal)
        self.takes_all = asked.encoding is None or asked.encoding.features is None  # none named
        self.needs_classes = asked.encoding is None or asked.another_cohort

    def table(self) -> Table:
        """Read everything, or raise an error with all problems."""
        asked = self.asked
        self._take_known_case()
        self._read_target()
        self.columns = self._by_name()
        beside = self.sheet.aside  # what may be a target is named first
        self.known: dict[str, Column] = {**beside, **self.columns, **beside, **self.target}
        self._check_names()
        self._look()
        self._features()
        made, encoding = self.made, self.encoding
        labels = self._labels()
        aside, covariates, outcome = self._aside()
        if not made.values and not self.problems:
            why = "; ".join(encoding.about)
            self.problems.append(f"has no column of features left{why and f' ({why})'}.")
        words = {one.column for one in encoding.conversions if one.kind != "number"}
        numbers = {name: one for name, one in made.of_columns.items() if name not in words}
        if problem := _sheet.summary_below([*numbers.values()], self.places):
            self.problems.append(problem)
        if self.problems:
            raise TableError(message_of(self.path, self.problems))
        matrix = self._matrix()
        if self.needs_classes:
            self._keep_together(matrix, aside, labels)
        if asked.encoding is None:
            self._ask([*numbers], labels)
            encoding = replace(encoding, codes=self.codes, classes=self.classes)
        elif not asked.another_cohort:
            self.questions += changes(made.values, encoding.seen, self.places)
        # It takes long to load, and tables that are refused need no frame.
        pd = import_extra("pandas", "tables need pandas: pip install 'bicneuron[tables]'.")
        names, dtype = self.row_names or self.sheet.numbers, object if self.row_names else None
        index = pd.Index(names, name=self.id_column or "row", dtype=dtype)
        frame = pd.DataFrame(matrix, index=index, columns=[*made.values], copy=False)
        is_known = labels is not None or self.number_target
        target, notes = asked.target if is_known else None, (*self.notes,)
        known, tied = (
            pd.DataFrame(one, index=index) if one else None for one in (covariates, outcome)
        )
        reading, questions = self._reading(), (*self.questions,)
        table = Table(frame, labels, target, self.id_column, notes, questions, reading)
        return replace(table, aside=aside, covariates=known, outcome=tied, encoding=encoding)

    def _take_known_case(self) -> None:
        """Call columns that were named in other capital letters so, with a note."""
        asked, sheet = self.asked, self.sheet
        named = (asked.target, asked.id_column, *asked.drop, *asked.settings.keep, *asked.beside)
        wanted = [name for name in (*named, *asked.sources) if name]
        if alike := but_for_case(wanted, [*sheet.names, *sheet.aside]):
            names = [alike.get(name, name) for name in sheet.names]
            aside = {alike.get(name, name): one for name, one in sheet.aside.items()}
            self.sheet = replace(sheet, names=names, aside=aside)
            pairs = [f"{name!r} for {known!r}" for name, known in alike.items()]
            self.notes.append(f"columns taken ignoring case: {_cells.some(pairs, 3)}")

    def _read_target(self) -> None:
        """Write each class in one spelling, and leave out rows without a class in a fit."""
        asked, sheet, name = self.asked, self.sheet, self.asked.target or ""
        of_fit = None if asked.encoding is None else asked.encoding.classes
        self.classes, self.target = of_fit or Classes(), dict[str, Column]()
        self.number_target: tuple[str, ...] = ()
        if not name or name not in (*sheet.names, *sheet.aside):
            return
        is_aside = name in sheet.aside
        column = sheet.aside[name] if is_aside else sheet.columns[sheet.names.index(name)]
        column = without_codes(name, column, self.codes)
        if broken := [cell for cell in cells_of(column) if len(str(cell).splitlines()) > 1]:
            said = f"target {name!r} {shown(broken[0])} has a line break. Write it in one line."
            self.problems.append(said)
        if asked.takes_numbers and (of_fit is None or of_fit.column != name):
            named = {one: name in getattr(asked.settings, one) for one in ("numbers", "classes")}
            is_number, said = taken_as_numbers(name, column, **named)
            self.notes += filter(None, [said])
            if is_number:
                self.number_target = (name,)
                return
        read = read_target(name, column, asked.settings.merge, of_fit)
        self.problems += read.problems
        self.notes += read.notes
        self.questions += read.questions
        self.classes, self.target = read.classes, {name: read.column}
        rows = _filled_rows(read.column)
        if asked.encoding is None and 0 < len(rows) < sheet.n_rows:
            n = sheet.n_rows - len(rows)
            self.notes.append(f"rows without a class in {name!r} left out: {n}")
            self.sheet, self.target = sheet.with_rows(rows), {name: taken(read.column, rows)}

    def _by_name(self) -> dict[str, Column]:
        """Columns by name; those without one are called by their place."""
        given, columns = self.sheet.names, self.sheet.columns
        names = [name or f"column {place}" for place, name in enumerate(given, start=1)]
        if twice := listed(name for name, n in Counter(names).items() if n > 1):
            self.problems.append(f"has several columns called {twice}; give each a unique name.")
        triples = zip(given, names, columns, strict=True)
        # Spreadsheets write empty columns without a name beside the data.
        return {name: one for has_name, name, one in triples if has_name or _filled_rows(one)}

    def _check_names(self) -> None:
        asked, sources = self.asked, self.asked.sources
        wanted: dict[str, Any] = {f"for {use}": names for use, names in asked.aside.items()}
        if self.takes_all or asked.another_cohort:
            wanted["for the target"] = (asked.target,)
        if self.takes_all:
            wanted["for the row names"] = (asked.id_column,)
            wanted |= {"to drop": asked.drop, "to keep": asked.settings.keep}
        for use, names in wanted.items():
            there = self.columns if use in ("to drop", "to keep") else self.known
            for name in (one for one in names if one is not None and one not in there):
                close = close_to(name, there)
                if name == asked.target and not self.sheet.aside and "There are" in close:
                    close += " If the classes are in another file, name it with --phenotype FILE."
                self.problems.append(f"has no column {name!r} {use}.{close}")
        lacking = [name for name in sources if name not in self.columns]
        lacks = f"lacks {len(lacking)} of the {len(sources)} columns that the model was fitted on"
        if asked.another_cohort and 0 < len(lacking) < len(sources):
            self.notes.append(f"{lacks}: {listed(lacking)}")
        elif lacking:
            way = "Columns are matched by name; add or rename them. A second cohort is for "
            way += "bicneuron replicate MODEL TABLE -o page.html."
            self.problems.append(f"{lacks}: {listed(lacking)}. {way}")

    def _look(self) -> None:
        """Read the columns, and find the names of the rows and their places for messages."""
        asked, needed = self.asked, {*self.asked.sources, *self.asked.settings.keep}
        taken = {asked.target, asked.id_column, *asked.drop, *asked.beside} - {*asked.sources}
        free = {name: column for name, column in self.columns.items() if name not in taken}
        may_be_ids = [name for name in free if name not in needed]
        has_names = asked.id_column in self.known or self.sheet.row_names is not None
        first = None if has_names else next(iter(self.columns), "")
        look = look_at(free, self.decimal, self.codes, may_be_ids=may_be_ids, first=first)
        if look.decimal == _cells.COMMA and self.decimal is None:
            self.notes.append("decimal comma")
        for name in {*asked.beside} & {*self.known}:
            self.known[name] = without_codes(name, self.known[name], self.codes)
        named = asked.id_column if asked.id_column in self.known else look.id_column
        names = self.sheet.row_names if named is None else names_of(self.known[named])
        self.look, self.id_column, self.row_names = look, named, names
        ids = (one for one, role in look.roles.items() if role is Role.REPEATED)
        self.repeated = {one: names_of(self.columns[one]) for one in ids}
        self.places = [f"row {number}" for number in self.sheet.numbers]
        if names is not None:
            self.places = [f"{row} ({name})" for row, name in zip(self.places, names, strict=True)]

    def _features(self) -> None:
        asked, look = self.asked, self.look
        if asked.encoding is None:
            encoding, made = learn(look, self.places, log=bool(asked.settings.log))
            words = [o.column for o in encoding.conversions if o.kind in ("category", "yes/no")]
            if words and asked.target is None:
                way = "should hold the classes, name it with --target"
                self.notes.append(f"if {listed(words)} {way}")
        else:
            encoding = asked.encoding.stated(self.decimal, asked.settings.log)
            made = apply(encoding, look, self.places)
            if self.takes_all:
                encoding = Encoding((*made.of_columns,), (*made.of_columns,))
        self.notes += made.notes
        self.problems += made.problems
        self.encoding, self.made = encoding, made

    def _labels(self) -> AnyArray | None:
        """The labels; in another cohort they may have gaps, which are None."""
        name = self.asked.target
        if name is None or name not in self.known or self.number_target:
            return None
        cells, rows = cells_of(self.known[name]), _filled_rows(self.known[name])
        if len(rows) < len(cells) and not self.needs_classes:
            self.notes.append(f"target {name!r} has missing labels and is ignored")
            return None
        filled = [cells[row] for row in rows]
        if self.needs_classes:
            problem = no_classes(name, filled) if rows else f"target {name!r} has no labels."
            problem = "" if name in self.asked.settings.classes else problem
            self.problems += filter(None, [problem])
        labels = np.full(len(cells), None, dtype=object)
        labels[rows] = _cells.labels_of(filled)
        return _cells.labels_of(filled) if len(rows) == len(cells) else labels

    def _aside(self) -> tuple[dict[str, AnyArray], dict[str, FloatArray], dict[str, FloatArray]]:
        """Columns that are not features: those by their use, covariates and outcome as numbers."""
        found: dict[str, AnyArray] = {}
        numeric: dict[str, dict[str, Column]] = {"covariates": {}, "outcome": {}}
        uses = {**self.asked.aside}
        if self.number_target:
            uses["outcome"] = self.number_target
        for use, names in uses.items():
            columns = {name: self.known[name] for name in names if name in self.known}
            if use in numeric:
                numeric[use] = columns
            elif columns:
                labels = [*map(_cells.labels_of, columns.values())]
                of_types = [one.astype(object) for one in labels]
                found[use] = labels[0] if len(labels) == 1 else np.column_stack(of_types)
            for name in () if use in ("given", "outcome") else columns:
                if n := len(self.places) - len(_filled_rows(columns[name])):
                    lacks = f"column {name!r} for {use} lacks {n} of {len(self.places)} values"
                    self.problems.append(f"{lacks}. Fill them in or leave out such rows.")
        if len(numeric["outcome"]) > 1:
            *_, event = numeric["outcome"]
            numeric["outcome"][event] = event_cells(numeric["outcome"][event])
        covariates, outcome = (self._numbers(columns, use) for use, columns in numeric.items())
        self.problems += survival_problems(outcome, self.places)
        return found, covariates, outcome

    def _numbers(self, columns: dict[str, Column], use: str) -> dict[str, FloatArray]:
        """Columns as numbers."""
        own = look_at(columns, self.look.decimal)
        if use == "outcome":  # numbers, or yes and no, of which there may be one only
            words = {name: {*map(str.casefold, names_of(one))} for name, one in columns.items()}
            flags = [name for name in words if words[name] <= {"", *_cells.TRUE, *_cells.FALSE}]
            conversions = tuple(Conversion(name, "yes/no", ("false", "true")) for name in flags)
            made = apply(Encoding(conversions=conversions), own, self.places)
        else:
            _, made = learn(own, self.places, log=False)
        self.notes += made.notes
        self.problems += made.problems
        # Copies, because the columns of a large file move when they become a matrix.
        return {name: values.copy() for name, values in made.of_columns.items()}

    def _matrix(self) -> FloatArray:
        """The features side by side, for which the columns of a large file move."""
        values, of_columns = self.made.values, self.made.of_columns
        matrix = side_by_side([*values.values()])
        for name, column in zip(values, matrix.T, strict=True):
            if of_columns.get(name) is values[name]:
                of_columns[name] = column
            values[name] = column
        return matrix

    def _keep_together(self, matrix: FloatArray, aside: dict[str, AnyArray], labels: Any) -> None:
        names, repeated = self.row_names, self.repeated
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

    def _ask(self, numbers: Sequence[str], labels: Any) -> None:
        """Ask about what was read in a fit."""
        look, values, known = self.look, self.made.of_columns, self.encoding.conversions
        asked = Asked(values, numbers, look.columns, known, look.roles, labels, self.places)
        self.questions += [*ask(asked), *alike_words(known, look.columns)]
        for name in (one for one in look.ids if not look.readings[one].is_text):
            way = f"{with_name('--read keep=', name)} takes it as a feature"
            self.notes.append(f"column {name!r} taken for an id; {way}")

    def _reading(self) -> "pd.DataFrame":
        """What each column of the file is read as."""
        import pandas as pd

        rows = dict.fromkeys(self.columns, ("left out", "", 0, ""))
        for name, values in self.made.of_columns.items():
            filled = values[np.isfinite(values)]
            span = f"{filled.min():g} to {filled.max():g}" if len(filled) else ""
            rows[name] = ("number", span, len(values) - len(filled), "")
        roles = dict.fromkeys(self.look.ids, ("id", "an id"))
        roles |= {self.id_column or "": ("id", "row names")}
        roles |= {name: ("set aside", use) for name, use in self.asked.beside.items()}
        roles |= {self.asked.target or "": ("target", self.classes.about)}
        for one in (one for one in self.encoding.conversions if one.column in rows):
            _, span, n_missing, _ = rows[one.column]
            rows[one.column] = (one.kind, ", ".join(one.words[:4]) or span, n_missing, one.about)
        for name in roles.keys() & rows.keys():
            rows[name] = (roles[name][0], "", rows[name][2], roles[name][1])
        names = ["kind", "range", "missing", "changed"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=names).rename_axis("column")


def _filled_rows(column: Column) -> list[int]:
    return [row for row, name in enumerate(names_of(column)) if name]


def message_of(path: Path, problems: Sequence[str]) -> str:
    """Message of one problem in one line, or of several in one line each."""
    if len(problems) == 1:
        return f"{path}{' ' if problems[0].startswith(('has ', 'lacks ')) else ': '}{problems[0]}"
    return "\n  ".join([f"{path} has {len(problems)} problems:", *problems[:20]])
