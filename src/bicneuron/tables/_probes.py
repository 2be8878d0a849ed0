"""One column for each gene, where several probes measure the same one."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import listed
from bicneuron.tables._numbers import POINT, read_column
from bicneuron.tables._sheet import Column, Sheet
from bicneuron.tables._steps import Probes, Step


def named_by(path: Path, sheet: Sheet, source: str) -> Sheet:
    """The table with other names for its genes; those without one keep their own."""
    if source not in sheet.other_names:
        known = listed(list(sheet.other_names)) or "none"
        raise TableError(
            f"{path} has no column {source!r} that names the genes (--genes). There are: {known}."
        )
    names = [
        other or name for name, other in zip(sheet.names, sheet.other_names[source], strict=True)
    ]
    return replace(sheet, names=names)


def one_per_gene(
    path: Path, sheet: Sheet, rule: str, steps: Iterable[Step] | None
) -> tuple[Sheet, tuple[Probes, ...]]:
    """Take one column of those with the same name, as in the fit if its steps are known.

    Only where the format says that columns are genes: elsewhere a name that is repeated is an
    error.
    """
    if sheet.row_names is None:
        return sheet, ()
    n_of = Counter(sheet.names)
    repeated = {name for name, n in n_of.items() if n > 1}
    known = {step.column: step for step in steps or () if isinstance(step, Probes)}
    found: dict[str, Probes] = {}
    columns: dict[str, Column] = {}
    groups: dict[str, list[Column]] = {}
    for name, column in zip(sheet.names, sheet.columns, strict=True):
        if name in repeated:
            groups.setdefault(name, []).append(column)
        columns.setdefault(name, column)
    for name, group in groups.items():
        values = np.stack([read_column(column).by_mark[POINT] for column in group])
        step = known.get(name) or Probes(name, rule, _highest(values), len(group))
        if step.of != len(group):
            raise TableError(
                f"{path} has {len(group)} probes of {name!r}, and the table of the fit had "
                f"{step.of}; give it the same probes."
            )
        columns[name] = _mean(values) if step.rule == "mean" else group[step.taken]
        found[name] = step
    taken = replace(sheet, names=list(columns), columns=list(columns.values()), other_names={})
    return taken, tuple(found.values())


def _highest(values: FloatArray) -> int:
    """Which probe has the highest mean; the first of several."""
    means = [np.mean(row[~np.isnan(row)]) if np.any(~np.isnan(row)) else -np.inf for row in values]
    return int(np.argmax(means))


def _mean(values: FloatArray) -> FloatArray:
    n_there = np.sum(~np.isnan(values), axis=0)
    total = np.nansum(values, axis=0)
    return np.where(n_there > 0, total / np.maximum(n_there, 1), np.nan)
