"""The same table in every format that can be read."""

import json

import anndata
import pandas as pd

from bicneuron.tables import read_table
from bicneuron.tables._encoding import Encoding

ALL_SUFFIXES = [".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".xlsx", ".arff", ".h5ad"]


def write_any(frame, target, path):
    """Write a frame with row names and a target column; libraries write, not ours."""
    name = path.name
    if name.endswith(".h5ad"):
        values = frame.drop(columns=target)
        anndata.AnnData(
            values.rename_axis(None), obs=frame[[target]].astype(str).rename_axis(None)
        ).write_h5ad(path)
    elif name.endswith(".arff"):
        path.write_text(_arff(frame.reset_index(), target), encoding="utf-8")
    elif name.endswith(".xlsx"):
        frame.to_excel(path)
    elif name.endswith(".parquet"):
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t" if ".tsv" in name else ",")
    return path


def _arff(frame, target):
    def quoted(word):
        return "'" + str(word).replace("\\", "\\\\").replace("'", "\\'") + "'"

    numeric = {name: pd.api.types.is_float_dtype(kind) for name, kind in frame.dtypes.items()}
    lines = ["@relation 'a relation'"]
    for name, is_number in numeric.items():
        kind = "numeric" if is_number else "string"
        if name == target:
            kind = "{" + ",".join(map(quoted, sorted(set(frame[target])))) + "}"
        lines.append(f"@attribute {quoted(name)} {kind}")
    lines.append("@data")
    for row in frame.itertuples(index=False):
        cells = (
            repr(float(cell)) if is_number else quoted(cell)
            for cell, is_number in zip(row, numeric.values(), strict=True)
        )
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def stored(table):
    """What a model file keeps of how a table was read."""
    return Encoding.from_json(json.loads(json.dumps(table.encoding.to_json())))


def fitted(path, target, **options):
    """Read a table to learn from."""
    return read_table(path, target=target, keep_missing=True, **options)


def predicted(path, fit, **options):
    """Read a table as the one of a fit was read."""
    return read_table(
        path,
        target=fit.target,
        encoder=stored(fit),
        keep_missing=True,
        **{"id_column": fit.id_column, **options},
    )
