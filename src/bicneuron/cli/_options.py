"""Options that several commands share, each declared once."""

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

TABLE_HELP = "CSV, TSV (also .gz), Parquet, Excel, .h5ad, .gct or a GEO series matrix."


def output(metavar: str, text: str) -> Any:
    """The option -o, which names the file to write."""
    return typer.Option("-o", "--output", metavar=metavar, help=text)


def column(text: str, *names: str) -> Any:
    """An option that names a column."""
    return typer.Option(*names, metavar="COLUMN", help=text)


Target = Annotated[
    str | None,
    column("Column with classes or numbers; without it, all rows are searched for groups."),
]
Time = Annotated[str | None, column("Column with survival times; with --event.")]
Event = Annotated[
    str | None, column("Column with 1 for an event at that time, 0 for a row without one.")
]
TableFile = Annotated[Path, typer.Argument(metavar="TABLE", help=TABLE_HELP)]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that find or fit wrote.")]
Id = Annotated[str | None, column("Column with the row names.  [default: guessed]", "--id")]
Phenotype = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLE",
        help="Another table about the same samples, with the classes; --id names its column of "
        "sample ids.",
    ),
]
READ_EXAMPLES = (
    "decimal=comma, missing=-9, missing=AGE=999, merge=relaps=relapse, keep=COLUMN, "
    "numbers=TARGET, classes=TARGET, log=yes, transpose=no, layer=NAME"
)
Read = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help=f"How to read what is ambiguous: {READ_EXAMPLES}. May be given several times.",
    ),
]
ShowReading = Annotated[
    bool, typer.Option("--show-reading", help="Print how each column was read.")
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="Columns to leave out; may be given several times."),
]
Strata = Annotated[
    list[str] | None,
    column(
        "Column such as the batch: rows are compared only within each batch. Not a feature; may be "
        "given several times."
    ),
]
Groups = Annotated[
    str | None,
    column(
        "Column such as the patient, whose rows stay together. Not a feature.  [default: ids with "
        "a common stem, as P1_a and P1_b; none: these are independent]"
    ),
]
All = Annotated[bool, typer.Option("--all", help="Include unproven groups.")]
Seed = Annotated[int, typer.Option(help="Random seed.", min=0)]
Jobs = Annotated[int, typer.Option(help="Processes or threads; 0 uses all cores.", min=0)]
Force = Annotated[bool, typer.Option("--force", help="Replace existing outputs.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]

_NOT_IN_MODELS = ("transpose=",)  # values of --read that a model file does not keep
# Options that are gone, and what to use instead.
_READ = ("decimal", "missing", "merge", "keep", "layer")
REMOVED = {
    **{f"--{name}": f"use --read {name}=VALUE" for name in _READ},
    **{f"--{name}": f"use --read {name}=yes" for name in ("log", "transpose")},
    **{f"--no-{name}": f"use --read {name}=no" for name in ("log", "transpose")},
    "--max-memory": "unpack a large file first",
    "--strict": "--show-reading shows what is converted",
    "--probes": "take the means of probes before",
    "--help-all": "--help shows all options",
    "--set": "set parameters of a model in Python",
    "--miner": "take a miner of bicneuron.biclustering in Python",
    "--no-test": "use SubgroupBiclustering().fit(X, y) in Python",
    "--stability": "find repeats the search without each fifth of the rows",
    "--plots": "use -o groups.html, or Findings.plot() in Python",
    "--dask": "call the library in Python, within joblib.parallel_config(backend='dask')",
    "--keep-formulas": "write the table with pandas",
    "--strip": "the heat map has bars of the classes only",
    "--outcome": "use --target, which takes numbers, too",
    "--draws": "use replicate(n_draws=...) in Python",
}


# Parameters by which another command learns from the same table, or only reads it.
LEARNING = ("id_column", "phenotype", "read", "target", "drop", "strata", "groups")
READING = ("id_column", "phenotype", "read")


def given(context: typer.Context, names: tuple[str, ...]) -> list[str]:
    """Options of some parameters that the user gave, as words; those of a model file are left."""
    words: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if parameter.name in names and value is not None:
            for one in value if isinstance(value, list | tuple) else [value]:
                if names is LEARNING or parameter.name != "read" or one.startswith(_NOT_IN_MODELS):
                    words += [max(parameter.opts, key=len), str(one)]
    return words


def split_names(listed: str) -> list[str]:
    """Split names at commas; a name with a comma goes between double quotes."""
    return [name.strip() for name in next(csv.reader([listed], skipinitialspace=True), []) if name]
