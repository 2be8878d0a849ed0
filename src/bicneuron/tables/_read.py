"""Read a table: its columns get their roles, and what was guessed is said."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron.tables._cells import COMMA, names_of, without_quotes
from bicneuron.tables._encoding import Encoding
from bicneuron.tables._files import read_sheet
from bicneuron.tables._questions import Question
from bicneuron.tables._roles import Reader
from bicneuron.tables._sheet import Sheet, joined, of_frame, transposed, with_probes
from bicneuron.tables._table import Request, Settings, Table

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
    settings: Settings | None = None,
) -> Table:
    r"""Read a table, as numbers with row names and labels; a TableError lists all problems.

    It is text (CSV, TSV, GCT or the series matrix of GEO, also in ``.gz``), Excel (the sheet with
    the target, or else the first), Parquet or ``.h5ad``. Encoding, delimiter and decimal mark of
    text are guessed. Columns that hold no plain numbers are converted where that is safe; columns
    without information and rows without a class are left out. What was done is in ``reading``.

    Parameters
    ----------
    path : path-like
    target : str, default=None
        Column with the labels; of ``.h5ad`` a column of ``obs``.
    id_column : str, default=None
        Column with the row names. None takes the first column of distinct words, or of distinct
        whole numbers that its name says to be an id or that follow the rows.
    drop : iterable of str, default=()
        Columns to leave out.
    aside : mapping of str to str or sequence of str, default=None
        Columns that are not features, by what they are for, as in ``{"strata": "batch"}``.
        ``"covariates"`` are numbers; ``"groups"`` are rows that belong together, which are guessed
        from the row names unless it is there, also empty.
    phenotype : path-like, default=None
        Another table, whose columns may hold the target; its column ``id_column`` holds the row
        names of the table.
    encoder : TableEncoder, default=None
        ``encoder`` of the table that a model was fitted on: this table is read as that one.
    another_cohort : bool, default=False
        The table is neither that of a fit nor one to predict, but a second cohort. It may lack
        columns. Labels may have gaps, which are None.
    settings : Settings, default=None
        How it is read where it can be read in several ways.

    Returns
    -------
    Table

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
    path, given = Path(path), settings or Settings()
    encoding = encoder if isinstance(encoder, Encoding) or encoder is None else encoder.encoding_
    roles = {use: (n,) if isinstance(n, str) else tuple(n) for use, n in (aside or {}).items()}
    own_id = id_column if phenotype is None else None
    asked = Request(target, own_id, tuple(drop), roles, encoding, another_cohort, given)
    sheet = _shaped(path, asked, None if phenotype is None else Path(phenotype), id_column)
    return Reader(path, sheet, asked).table()


def check(frame: "pd.DataFrame", target: str | None = None) -> list[Question]:
    """Ask what a person should look at in a table, before a model learns from it.

    Parameters
    ----------
    frame : DataFrame
    target : str, default=None
        Column with the classes.

    Returns
    -------
    list of Question
        Rule, column and text with the way out.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 45, 52, 61, 38, 999, 47, 999], "kind": [*"ababbaab"]})
    >>> check(frame, "kind")[0].text  # doctest: +ELLIPSIS
    "'age' holds 999 in 2 rows, beyond all other values, see row 6 and row 8; if it means ..."
    """
    asked = Request(target, None, (), {}, None, False, Settings())
    return [*Reader(Path("table"), of_frame(frame), asked).table().questions]


def _shaped(path: Path, asked: Request, phenotype: Path | None, id_column: str | None) -> Sheet:
    """The sheet of a file, with samples in rows and columns of another file beside it."""
    given, target = asked.settings, asked.target
    wanted = asked.sources or ([] if target is None else [target])
    # With a decimal comma 1.234 is another number, also where it is not alone.
    known = () if asked.encoding is None else asked.encoding.conversions
    as_text = given.decimal == "comma" or any(one.decimal == COMMA for one in known)
    sheet = read_sheet(path, given.layer, wanted, as_text=as_text)
    if given.transpose:
        sheet = transposed(path, sheet)
    if phenotype is not None:
        other = read_sheet(phenotype, wanted=[*filter(None, (id_column, target))])
        sheet = joined(path, sheet, phenotype, other, id_column, turn=given.transpose is None)
    elif given.transpose is None and sheet.row_names is None and len(sheet.columns) > 1:
        is_there = not {*wanted}.isdisjoint(map(without_quotes, sheet.names))
        if not is_there and not {*wanted}.isdisjoint(names_of(sheet.columns[0])):
            what = repr(target) if asked.is_fit else "columns of the model"
            sheet = transposed(path, sheet, f"{what} found in rows; if not: --read transpose=no")
    return with_probes(sheet)
