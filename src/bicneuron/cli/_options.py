"""Options that several commands share, each declared once.

A command receives a group of options as one value, by a parameter such as
``reading: ReadingOptions``. `with_options` replaces this parameter by the options of the group in
the signature that typer reads.
"""

import csv
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any

import typer

TABLE_HELP = (
    "CSV, TSV (also .gz, .zip), Parquet, Excel, ARFF, KEEL, .h5ad, .gct, a GEO series matrix or a "
    "10x folder (.mtx)."
)

# Options that --help-all shows and --help does not, some under a heading of their own.
rare: Any = partial(typer.Option, hidden=True)
_reading_option: Any = partial(rare, rich_help_panel="Reading the table")
_running_option: Any = partial(rare, rich_help_panel="Running")
_result_option: Any = partial(rare, rich_help_panel="Output")
# Name under which a context notes that all options are to be shown.
SHOWS_ALL = "bicneuron.shows_all"


def output(metavar: str, text: str) -> Any:
    """The option -o, which names the file to write."""
    return typer.Option("-o", "--output", metavar=metavar, help=text, show_default=False)


class DecimalMark(StrEnum):
    """Values of --decimal."""

    point = "point"
    comma = "comma"


class DateOrder(StrEnum):
    """Values of --dates."""

    day_first = "day-first"
    month_first = "month-first"


class ProbeRule(StrEnum):
    """Values of --probes."""

    highest = "highest"
    mean = "mean"


TableFile = Annotated[Path, typer.Argument(metavar="TABLE", help=TABLE_HELP, show_default=False)]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that find or fit wrote.", show_default=False)
]
Target = Annotated[
    str,
    typer.Option(metavar="COLUMN", help="Column with the classes.", show_default=False),
]
Settings = Annotated[
    list[str] | None,
    rare(
        "--set",
        metavar="NAME=VALUE",
        help="Parameter of the model, as in n_neurons=5 or miner__cut_distance=1.5; may be given "
        "several times.",
    ),
]
Genes = Annotated[
    str | None,
    _reading_option(
        metavar="COLUMN",
        help="Where genes are in rows: column that names them, such as the symbol  [default: "
        "the first]",
        show_default=False,
    ),
]
Probes = Annotated[
    ProbeRule | None,
    _reading_option(
        help="Of several probes of a gene take the one with the highest mean (default), or "
        "their mean.",
        show_default=False,
    ),
]
Merge = Annotated[
    list[str] | None,
    _reading_option(
        metavar="CLASS=OTHER",
        help="Take a class as another, as in relaps=relapse; may be given several times.",
        show_default=False,
    ),
]
Cut = Annotated[
    str | None,
    _reading_option(
        metavar="COLUMN=65",
        help="Cut a target of numbers into classes, below 65 and from 65 on; age=50,65 makes "
        "three.",
        show_default=False,
    ),
]
Seed = Annotated[int, _running_option(help="Seed of all random numbers.", min=0)]
Jobs = Annotated[int, _running_option(help="Processes or threads; 0 takes all cores.", min=0)]
Json = Annotated[bool, _result_option("--json", help="Answer with one JSON object on stdout.")]
DataFolder = Annotated[
    Path | None, typer.Option(help="Folder with the data files  [default: $BICNEURON_DATA]")
]


@dataclass(frozen=True)
class ReadingOptions:
    """Options of all commands that read a table."""

    id_column: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="COLUMN", help="Column with the row names  [default: guessed]"
        ),
    ] = None
    transpose: Annotated[
        bool | None,
        _reading_option(
            "--transpose/--no-transpose",
            help="Exchange rows and columns, for genes in rows  [default: guessed]",
            show_default=False,
        ),
    ] = None
    phenotype: Annotated[
        Path | None,
        _reading_option(
            metavar="TABLE",
            help="Another table about the same samples, with the classes; --id names its column "
            "of sample ids.",
            show_default=False,
        ),
    ] = None
    decimal: Annotated[
        DecimalMark | None,
        _reading_option(help="Decimal mark of numbers such as 241,611, where it is ambiguous."),
    ] = None
    dates: Annotated[
        DateOrder | None,
        _reading_option(help="Order of dates such as 03/04/2021, where it is ambiguous."),
    ] = None
    missing: Annotated[
        list[str] | None,
        _reading_option(
            metavar="-9,AGE=999",
            help="Codes for missing values, in all columns or in one; may be given several times. "
            "predict takes those of the fit, too.",
            show_default=False,
        ),
    ] = None
    layer: Annotated[str | None, _reading_option(help="Layer of an .h5ad file, instead of X.")] = (
        None
    )
    max_memory: Annotated[
        float | None,
        _reading_option(
            metavar="GB",
            help="Memory that reading the table may take  [default: 8, and no more than 100 times "
            "the size of the file, or 1]",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class TrainingOptions(ReadingOptions):
    """Options of commands that read a table to learn from it."""

    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns to leave out; may be given several times."),
    ] = None
    keep: Annotated[
        list[str] | None,
        rare(
            metavar="A,B",
            help="Columns that are features though they look like ids; may be given several times.",
        ),
    ] = None
    strata: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column such as the batch: classes are exchanged within it only, and find sets it "
            "aside. Not a feature; may be given several times.",
        ),
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column such as the patient: its rows stay together, as copies and rows of one id "
            "always do. Not a feature.  [default: ids with a common stem, as P1_a and P1_b; none: "
            "these are independent]",
            show_default=False,
        ),
    ] = None
    merge: Merge = None
    cut: Cut = None
    genes: Genes = None
    probes: Probes = None
    log: Annotated[
        bool, _reading_option("--log", help="Take log2(x + 1) of all numbers, as of intensities.")
    ] = False
    strict: Annotated[
        bool, _reading_option("--strict", help="Refuse columns that are not plain numbers.")
    ] = False


@dataclass(frozen=True)
class NextTableOptions(ReadingOptions):
    """Options of commands that read a table as that of a fit."""

    strict: Annotated[
        bool,
        _reading_option(
            "--strict",
            help="Refuse columns whose values differ from those of the fit, as in another unit.",
        ),
    ] = False


@dataclass(frozen=True)
class CohortOptions(ReadingOptions):
    """Options of commands that read a table of other rows, perhaps from another platform."""

    merge: Merge = None
    cut: Cut = None
    genes: Genes = None
    probes: Probes = None
    log: Annotated[
        bool | None,
        _reading_option(
            "--log/--no-log",
            help="Take log2(x + 1) of all numbers, as of intensities  [default: as for the model]",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class SeedOptions:
    """Options of commands that draw at random."""

    seed: Seed = 0


@dataclass(frozen=True)
class RunOptions(SeedOptions):
    """Options of commands that search or fit."""

    jobs: Jobs = 0

    @property
    def n_jobs(self) -> int:
        """Processes or threads, as scikit-learn counts them."""
        return self.jobs or -1


@dataclass(frozen=True)
class ClusterOptions(RunOptions):
    """The same where the work can be done on a cluster."""

    dask: Annotated[
        str,
        _running_option(
            metavar="ADDRESS",
            help="Run on a Dask cluster, as in tcp://10.0.0.5:8786, and not on this machine.",
        ),
    ] = ""


@dataclass(frozen=True)
class ResultOptions:
    """Options of commands that write a file and print an answer."""

    force: Annotated[bool, typer.Option("--force", help="Replace an output that exists.")] = False
    as_json: Json = False
    quiet: Annotated[bool, _result_option("--quiet", help="Print nothing but errors.")] = False

    @property
    def is_printed(self) -> bool:
        """True if there is an answer in words or as JSON."""
        return self.as_json or not self.quiet


@dataclass(frozen=True)
class TableResultOptions(ResultOptions):
    """The same where the file is a table."""

    keep_formulas: Annotated[
        bool,
        _result_option(
            "--keep-formulas",
            help="Write text such as =A1 as it is. Otherwise it gets an apostrophe in front, so "
            "that no spreadsheet runs it.",
        ),
    ] = False


def _show_all(context: typer.Context, asked: bool) -> None:
    if asked:
        context.meta[SHOWS_ALL] = True
        typer.echo(context.get_help())
        raise typer.Exit


HelpAll = Annotated[
    bool,
    typer.Option("--help-all", help="Show all options.", is_eager=True, callback=_show_all),
]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace groups of options in the signature of a command by the options themselves.

    The command gets the option --help-all, too.
    """
    signature = inspect.signature(command)
    groups: dict[str, Any] = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if is_dataclass(parameter.annotation)
    }

    @wraps(command)
    def run(help_all: bool, **given: Any) -> None:
        values = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        parameter.replace(kind=keyword)
        for name, parameter in signature.parameters.items()
        if name not in groups
    ]
    shared = [
        inspect.Parameter(field.name, keyword, default=field.default, annotation=field.type)
        for group in groups.values()
        for field in fields(group)
    ]
    # typer reads the options off the signature; mypy does not know that functions may have one.
    shown = inspect.Parameter("help_all", keyword, default=False, annotation=HelpAll)
    run.__signature__ = signature.replace(parameters=[*own, *shared, shown])  # type: ignore[attr-defined]
    return run


def split_names(listed: str) -> list[str]:
    """Split names at commas; a name with a comma goes between double quotes."""
    return [name.strip() for name in next(csv.reader([listed], skipinitialspace=True), []) if name]
