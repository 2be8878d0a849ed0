"""Read a table from a file."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron.exceptions import TableError
from bicneuron.tables._encoding import Encoding
from bicneuron.tables._formats import read_sheet
from bicneuron.tables._kinds import check_file
from bicneuron.tables._request import Request
from bicneuron.tables._roles import Table, take_apart
from bicneuron.tables._shape import (
    has_samples_in_columns,
    joined,
    named_by,
    one_per_gene,
    transposed,
)
from bicneuron.tables._step import NumberFormat, describe_steps, one_of
from bicneuron.tables._steps import Log, Probes, as_stated

if TYPE_CHECKING:
    from bicneuron.tables._encoder import TableEncoder


def check_readable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that `read_table` cannot read, without reading the table.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    TableError
        If there is no such file, its name has an unsupported suffix, or it is a pipe or a
        device, which may never end.

    Examples
    --------
    >>> from bicneuron.tables import check_readable
    >>> check_readable("notes.doc")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    bicneuron.exceptions.TableError: notes.doc is not a table that can be read or written: ...
    """
    check_file(Path(path))


def read_table(  # noqa: PLR0913
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    id_column: str | None = None,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    columns: Sequence[str] | None = None,
    layer: str | None = None,
    aside: Mapping[str, str | Sequence[str]] | None = None,
    covariates: Sequence[str] = (),
    guess_groups: bool = True,
    transpose: bool | None = None,
    phenotype: str | os.PathLike[str] | None = None,
    genes: str | None = None,
    probes: str | None = None,
    log: bool | None = None,
    encoder: "TableEncoder | Encoding | None" = None,
    decimal: str | None = None,
    dates: str | None = None,
    strict: bool = False,
    keep_missing: bool = False,
    only_labelled: bool = False,
    another_cohort: bool = False,
    missing: Iterable[str] = (),
    merge: Mapping[str, str] | None = None,
    cut: Mapping[str, Sequence[float]] | None = None,
    max_memory: float | None = None,
) -> Table:
    r"""Read a table, as numbers with row names and labels.

    The suffix decides the format: ``.csv`` (also ``.txt``), ``.tsv`` (``.tab``), ``.parquet``,
    ``.xlsx`` (the sheet with the target, or else the first), ``.arff``, ``.dat`` (KEEL),
    ``.h5ad``, ``.gct``, the series matrix of GEO, a ``.txt``, and a folder of ``matrix.mtx``,
    ``barcodes.tsv`` and ``features.tsv``. Text may be packed in ``.gz``, a single file in ``.zip``.
    Of text, encoding, delimiter and decimal comma are guessed, and titles above the header are left
    out. Rows are numbered from 1 below the header.

    Columns that hold no plain numbers are converted to numbers where that is safe: yes and no,
    categories, dates, times, numbers with units, with marks between thousands or with limits such
    as ``<0.5``. Columns without information are left out, and so are rows without a class. What
    was done is listed in ``notes`` and kept in ``encoder``. With it, values of the new table are
    compared with those of the fit, and implausible changes are in ``warnings``.

    Parameters
    ----------
    path : path-like
    target : str, default=None
        Column with the labels; of ``.h5ad`` a column of ``obs``.
    id_column : str, default=None
        Column with the row names. None takes the first column of distinct words, or of distinct
        whole numbers that its name says to be an id or that follow the rows; if there is none,
        rows are numbered. Other such columns are left out.
    drop : iterable of str, default=()
        Columns to leave out.
    keep : iterable of str, default=()
        Columns that are features also if they look like ids.
    columns : sequence of str, default=None
        Columns of numbers to take, as ``feature_names_in_`` of a fitted model: by name, in this
        order. Anything else is left out, and target and id column need not be there. None takes
        all columns.
    layer : str, default=None
        Layer of an ``.h5ad`` file to take instead of ``X``.
    aside : mapping of str to str or sequence of str, default=None
        Columns that are not features, by what they are for, as in ``{"strata": "batch"}``; of
        ``.h5ad`` also columns of ``obs``. They are ``aside`` of the result.
    covariates : sequence of str, default=()
        Likewise, columns of numbers. They are converted as features are, must have no gaps, and are
        ``covariates`` of the result.
    guess_groups : bool, default=True
        Take ids with a common stem, such as ``P001_1`` and ``P001_2``, as rows that belong together
        if no ``"groups"`` are named. They are ``aside["groups"]`` of the result, as are rows that
        repeat another one and rows of one id, which are never independent.
    transpose : bool, default=None
        Exchange rows and columns, for genes in rows. None does it if the target, or the ids of the
        phenotype, name rows and no columns.
    phenotype : path-like, default=None
        Another table, whose columns may hold the target; its column ``id_column`` holds the row
        names of the table.
    genes : str, default=None
        Where genes are in rows: column of the file that names them, such as the symbol. None takes
        the first.
    probes : {"highest", "mean"}, default=None
        Value of a gene with several probes: the probe with the highest mean (the default), or the
        mean of all.
    log : bool, default=None
        Take log2(x + 1) of all columns of numbers. None does if the ``encoder`` does.
    encoder : TableEncoder, default=None
        ``encoder`` of the table that a model was fitted on, instead of ``columns``: this table is
        read as that one. None recognises what the columns hold.
    decimal : {"point", "comma"}, default=None
        Decimal mark of columns that can be read with either, such as ``241,611``.
    dates : {"day-first", "month-first"}, default=None
        Order of dates that can be read in either, such as ``03/04/2021``.
    strict : bool, default=False
        Refuse what would be converted to numbers or left out, and columns that differ from those
        of the fit.
    keep_missing : bool, default=False
        Take cells without a value as NaN; otherwise they are refused.
    only_labelled : bool, default=False
        Leave out rows without a class also where ``columns`` or ``encoder`` are given, as in the
        table that a model was fitted on.
    another_cohort : bool, default=False
        The table is neither that of a fit nor one to predict, but a second cohort. It may lack some
        of ``columns`` and has probes of its own. Labels may have gaps, which are None, and so may
        covariates, whose gaps are NaN; these are plain numbers, or yes and no.
    missing : iterable of str, default=()
        Codes for missing values, such as ``-9`` and ``nicht bestimmt``; ``age=999`` is one of the
        column ``age`` only. Row names keep them. The ``encoder`` applies them to new tables.
    merge : mapping of str to str, default=None
        Classes, and the class that each is taken as: ``{"relaps": "relapse"}``.
    cut : mapping of str to sequence of float, default=None
        The target and limits that cut its numbers into classes: ``{"age": [65]}`` makes the classes
        ``<65`` and ``>=65``.
    max_memory : float, default=None
        GB of memory that reading a file may take, counted while it is read. None allows 8, and no
        more than 100 times the size of the file, or 1 if that is more: files that grow further
        when they are unpacked are mostly damaged, or made to fill the memory.

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
    >>> table.notes
    ('delimiter: semicolon', 'decimal comma', "row names: column 'name'")
    """
    _check_installed("pandas", "pyarrow")
    path = Path(path)
    if encoder is not None and columns is not None:
        raise ValueError("columns are those of the encoder; leave out one of both.")
    encoding = encoder if isinstance(encoder, Encoding) or encoder is None else encoder.encoding_
    if columns is not None:
        encoding = Encoding(features=tuple(columns))
    wanted = [*encoding.sources] if encoding is not None else [target] if target is not None else []
    # With a decimal comma 1.234 is another number, also where it is not alone.
    sheet, budget = read_sheet(path, layer, wanted, max_memory, as_text=decimal == "comma")
    if transpose:
        sheet = transposed(path, sheet)
    if phenotype is not None:
        other = Path(phenotype)
        named = [name for name in (id_column, target) if name is not None]
        more, _ = read_sheet(other, wanted=named, max_memory=max_memory)
        sheet = joined(path, sheet, other, more, id_column, may_transpose=transpose is None)
        id_column = None
    if transpose is None and phenotype is None and has_samples_in_columns(sheet, wanted):
        what = repr(target) if encoding is None else "columns of the model"
        sheet = transposed(path, sheet, f"{what} found in rows; if not: --read transpose=no")
    steps = None if encoding is None else encoding.steps
    of_fit = next((step.rule for step in steps or () if isinstance(step, Probes)), "highest")
    rule = one_of("probes", probes, {"highest": "highest", "mean": "mean"}) or of_fit
    if encoding is not None and log is not None:
        others = tuple(step for step in encoding.steps if not isinstance(step, Log))
        encoding = replace(encoding, steps=(*others, *(Log(),) * log))
    if genes is not None and (encoding is None or genes in sheet.other_names):
        sheet = named_by(path, sheet, genes)
    sheet, of_probes = one_per_gene(path, sheet, rule, None if another_cohort else steps)
    if strict and of_probes:
        raise TableError(f"{path}: without --read strict=yes: {describe_steps(of_probes)[0]}.")
    number_format = NumberFormat.of(decimal, dates)
    if encoding is not None:
        steps = tuple(as_stated(step, number_format) for step in encoding.steps)
        encoding = replace(encoding, steps=steps)
    asked = Request(
        target,
        id_column,
        tuple(drop),
        tuple(keep),
        encoding,
        {use: (n,) if isinstance(n, str) else tuple(n) for use, n in (aside or {}).items()},
        tuple(covariates),
        guess_groups,
        number_format,
        strict,
        keep_missing,
        only_labelled,
        another_cohort,
        bool(log),
        tuple(missing),
        dict(merge or {}),
        dict(cut or {}),
    )
    return take_apart(path, sheet, asked, budget, of_probes)


def _check_installed(*names: str) -> None:
    for name in names:
        if sys.modules.get(name, ...) is None or find_spec(name) is None:
            raise ImportError(f"tables need {name}: pip install 'bicneuron[tables]'.")
