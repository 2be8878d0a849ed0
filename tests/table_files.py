"""The same table in every format that can be read."""

import json
from dataclasses import asdict

import anndata

from bicneuron.tables import Settings, read_table
from bicneuron.tables._encoding import Encoding


def write_any(frame, target, path):
    """Write a frame with row names and a target column; libraries write, not ours."""
    name = path.name
    if name.endswith(".h5ad"):
        values = frame.drop(columns=target)
        anndata.AnnData(
            values.rename_axis(None), obs=frame[[target]].astype(str).rename_axis(None)
        ).write_h5ad(path)
    elif name.endswith(".xlsx"):
        frame.to_excel(path)
    elif name.endswith(".parquet"):
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t" if ".tsv" in name else ",")
    return path


_OTHERS = ("id_column", "drop", "aside", "phenotype", "encoder", "another_cohort")


def read(path, target=None, **options):
    """Read a table; options that are no parameters of `read_table` are settings."""
    given = {name: options.pop(name) for name in _OTHERS if name in options}
    return read_table(path, target=target, settings=Settings(**options), **given)


def said(table):
    """All lines that a person is told about a table."""
    rows = table.reading.itertuples()
    read_as = [f"{row.Index!r}: {row.kind}, {row.changed}" for row in rows]
    return [*table.notes, *(question.text for question in table.questions), *read_as]


def stored(table):
    """What a model file keeps of how a table was read."""
    return Encoding.from_json(json.loads(json.dumps(asdict(table.encoding))))


def predicted(path, fit, **options):
    """Read a table as the one of a fit was read."""
    options = {"id_column": fit.id_column, **options}
    return read(path, fit.target, encoder=stored(fit), **options)
