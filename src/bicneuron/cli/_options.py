"""Arguments and options that several commands share."""

import csv
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

TABLE_HELP = (
    "CSV, TSV (also .gz, .zip), Parquet, Excel, ARFF, KEEL, .h5ad, .gct, a GEO series matrix or a "
    "10x folder (.mtx)."
)


class DecimalMark(StrEnum):
    """What --decimal takes."""

    point = "point"
    comma = "comma"


class DateOrder(StrEnum):
    """What --dates takes."""

    day_first = "day-first"
    month_first = "month-first"


class ProbeRule(StrEnum):
    """What --probes takes."""

    highest = "highest"
    mean = "mean"


TableFile = Annotated[Path, typer.Argument(metavar="TABLE", help=TABLE_HELP, show_default=False)]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that fit wrote.", show_default=False)
]
Target = Annotated[
    str,
    typer.Option(metavar="COLUMN", help="Column with the classes.", show_default=False),
]
IdColumn = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Column with the row names  [default: guessed]"),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="Columns to leave out; may be given several times."),
]
Strata = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column such as the batch: classes are exchanged within it only. Not a feature.",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column such as the patient: its rows stay together. Not a feature.",
    ),
]
Decimal = Annotated[
    DecimalMark | None,
    typer.Option(help="Decimal mark of numbers such as 241,611, where the table leaves it open."),
]
Dates = Annotated[
    DateOrder | None,
    typer.Option(help="Order of dates such as 03/04/2021, where the table leaves it open."),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Refuse columns that are no plain numbers; change nothing."),
]
Transpose = Annotated[
    bool | None,
    typer.Option(
        "--transpose/--no-transpose",
        help="Whether to exchange rows and columns, for genes in rows  [default: guessed]",
        show_default=False,
    ),
]
Genes = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Where genes are in rows: column that names them, such as the symbol  [default: the "
        "first]",
        show_default=False,
    ),
]
Probes = Annotated[
    ProbeRule | None,
    typer.Option(
        "--probes",
        help="What is taken of several probes of a gene: the one with the highest mean (default), "
        "or the mean.",
        show_default=False,
    ),
]
Log = Annotated[
    bool, typer.Option("--log", help="Take log2(x + 1) of all numbers, as of raw intensities.")
]
Phenotype = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLE",
        help="Another table about the same samples, with the classes; --id names its column of "
        "sample ids.",
        show_default=False,
    ),
]
Layer = Annotated[str | None, typer.Option(help="Layer of an .h5ad file, instead of X.")]
MaxMemory = Annotated[
    float | None,
    typer.Option(
        metavar="GB",
        help="Memory that reading the table may take  [default: 8, and no more than 100 times the "
        "size of the file, or 1]",
        show_default=False,
    ),
]
KeepFormulas = Annotated[
    bool,
    typer.Option(
        "--keep-formulas",
        help="Write text such as =A1 as it is. Otherwise it gets an apostrophe in front, so that "
        "no spreadsheet runs it.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Parameter of the model, as in n_neurons=5 or miner__cut_distance=1.5; may be given "
        "several times.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of whatever is drawn.", min=0)]
Cluster = Annotated[
    str,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Run on a Dask cluster, as in tcp://10.0.0.5:8786, and not on this machine.",
    ),
]
Jobs = Annotated[int, typer.Option(help="Processes or threads; 0 takes all cores.", min=0)]
Replace = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Datasets = Annotated[str, typer.Option(help="Only these data sets, as in wdbc,sonar,eeg.")]
ResultFolder = Annotated[
    Path | None,
    typer.Option(help="Output folder; a run that was cut short goes on there  [default: results]"),
]
RunAnew = Annotated[bool, typer.Option("--force", help="Run folds of other settings again.")]
DataFolder = Annotated[
    Path | None, typer.Option(help="Folder with the data files  [default: $BICNEURON_DATA]")
]


def split_names(listed: str) -> list[str]:
    """Names between commas; a name with a comma goes between double quotes."""
    return [name.strip() for name in next(csv.reader([listed], skipinitialspace=True), []) if name]
