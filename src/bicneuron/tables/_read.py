"""Read a table: its columns get their roles, and what was guessed is said."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron.tables._cells import COMMA
from bicneuron.tables._encoding import (
    Encoding,
)
from bicneuron.tables._formats import of_frame, read_sheet
from bicneuron.tables._questions import (
    Question,
)
from bicneuron.tables._roles import Reader
from bicneuron.tables._sheet import (
    Sheet,
    has_samples_in_columns,
    joined,
    named_by,
    one_per_gene,
    transposed,
)
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
    r"""Read a table, as numbers with row names and labels.

    The suffix decides the format: ``.csv`` (also ``.txt``), ``.tsv`` (``.tab``), ``.parquet``,
    ``.xlsx`` (the sheet with the target, or else the first), ``.h5ad``, ``.gct`` and the series
    matrix of GEO, a ``.txt``. Text may be packed in ``.gz``, a single file in ``.zip``. Of text,
    encoding, delimiter and decimal comma are guessed, and titles above the header are left out.
    Rows are numbered from 1 below the header.

    Columns that hold no plain numbers are converted to numbers where that is safe: yes and no,
    categories, numbers with units, with marks between thousands or with limits such
    as ``<0.5``. Columns without information are left out, and so are rows without a class. What
    was done is in ``reading`` and kept in ``encoder``. With it, values of the new table are
    compared with those of the fit.

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
        columns and has probes of its own. Labels may have gaps, which are None.
    settings : Settings, default=None
        How it is read where it can be read in several ways.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        If the table has problems; the message lists all of them, by column, row and value.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bicneuron.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("name;size;class\nanna;1,5;a\nbert;2;b\n")
    ...     table = read_table(path, target="class")
    >>> table.features
          size
    name
    anna   1.5
    bert   2.0
    >>> table.labels
    array(['a', 'b'], dtype='<U1')
    >>> table.summary
    '2 rows; columns: 1 id, 1 number, 1 target; 1 to check'
    >>> table.notes
    ('decimal comma',)
    """
    path, given = Path(path), settings or Settings()
    encoding = encoder if isinstance(encoder, Encoding) or encoder is None else encoder.encoding_
    roles = {use: (n,) if isinstance(n, str) else tuple(n) for use, n in (aside or {}).items()}
    asked = Request(target, id_column, tuple(drop), roles, encoding, another_cohort, given)
    sheet = _shaped(path, asked, None if phenotype is None else Path(phenotype))
    of_fit = None if encoding is None or another_cohort else dict(encoding.probes)
    sheet, probes = one_per_gene(path, sheet, of_fit)
    if phenotype is not None:
        asked = replace(asked, id_column=None)
    return Reader(path, sheet, asked, probes).table()


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
    >>> from bicneuron.tables import check
    >>> frame = pd.DataFrame({"age": [31, 45, 52, 61, 38, 999, 47, 999], "kind": [*"ababbaab"]})
    >>> check(frame, "kind")[0].text  # doctest: +ELLIPSIS
    "'age' holds 999 in 2 rows, beyond all other values, see row 6 and row 8; if it means ..."
    """
    asked = Request(target, None, (), {}, None, False, Settings())
    return [*Reader(Path("table"), of_frame(frame), asked, {}).table().questions]


def _shaped(path: Path, asked: Request, phenotype: Path | None) -> Sheet:
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
        named = [name for name in (asked.id_column, target) if name is not None]
        other = read_sheet(phenotype, wanted=named)
        may = given.transpose is None
        sheet = joined(path, sheet, phenotype, other, asked.id_column, may_transpose=may)
    elif given.transpose is None and has_samples_in_columns(sheet, wanted):
        what = repr(target) if asked.is_fit else "columns of the model"
        sheet = transposed(path, sheet, f"{what} found in rows; if not: --read transpose=no")
    if given.genes is not None and (asked.is_fit or given.genes in sheet.other_names):
        sheet = named_by(path, sheet, given.genes)
    return sheet
