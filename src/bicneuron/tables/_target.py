"""The target of a table: its classes in one spelling, the rows that have one, and the labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron.tables._classes import about_numbers, cut_into_classes, no_classes, read_classes
from bicneuron.tables._missing import without_codes
from bicneuron.tables._request import Request
from bicneuron.tables._sheet import Column, Sheet, cells_of, is_missing, to_labels, without_quotes
from bicneuron.tables._step import Step, describe_steps
from bicneuron.tables._steps import Classes, Cut, MissingCodes


def with_classes(  # noqa: C901  # one question after the other
    sheet: Sheet,
    asked: Request,
    codes: Sequence[MissingCodes],
    notes: list[str],
    problems: list[str],
) -> tuple[Sheet, tuple[Step, ...], dict[str, dict[str, int]]]:
    """Return the table with its classes in one spelling, the steps for it, and cells of codes.

    Rows without a class are left out, because a model cannot learn from them.
    """
    target = asked.target or ""
    if asked.cut and target not in asked.cut:
        other = next(iter(asked.cut))
        problems.append(f"the cut is of {other!r}, and the target is {asked.target!r}; name that.")
    places = [j for j, name in enumerate(sheet.names) if without_quotes(name) == target]
    if asked.target is None or not (places or target in sheet.aside):
        return sheet, (), {}
    column = sheet.aside[target] if target in sheet.aside else sheet.columns[places[0]]
    column, n_cells = without_codes(target, column, codes)
    of_fit = () if asked.encoding is None else asked.encoding.steps
    known = next((step for step in of_fit if isinstance(step, Classes | Cut)), None)
    of_classes: tuple[Step, ...] = ()
    is_known = known is not None and known.column == target
    if known is not None and is_known and target not in asked.cut:
        column = known.classes(column)
    if target in asked.cut or asked.merge or not is_known:
        is_cut = target in asked.cut
        read = (
            cut_into_classes(target, column, asked.cut[target])
            if is_cut
            else read_classes(target, column, asked.merge)
        )
        column = read.column
        problems += read.problems if is_cut or asked.is_fit or asked.merge else []
        if asked.is_fit:
            of_classes = read.steps
            notes += read.notes
    changes = describe_steps(of_classes)
    if asked.is_fit and asked.strict and not (asked.cut or asked.merge):
        problems += [f"without --read strict=yes: {change}." for change in changes]
    elif asked.is_fit:
        notes += changes + about_numbers(target, column)
    if target in sheet.aside:
        sheet = replace(sheet, aside={**sheet.aside, target: column})
    else:
        columns = [column if j in places else other for j, other in enumerate(sheet.columns)]
        sheet = replace(sheet, columns=columns)
    if (asked.is_fit or asked.only_labelled) and not asked.strict:
        rows = [row for row, cell in enumerate(cells_of(column)) if not is_missing(cell)]
        if 0 < len(rows) < sheet.n_rows:
            n_lacking = sheet.n_rows - len(rows)
            notes.append(f"rows without a class in {target!r} left out: {n_lacking}")
            sheet = sheet.with_rows(rows)
    return sheet, of_classes, {target: n_cells}


def labels_of(
    asked: Request,
    known: Mapping[str, Column],
    places: Sequence[str],
    notes: list[str],
    problems: list[str],
) -> AnyArray | None:
    """Return the labels; in another cohort they may have gaps, which are None."""
    if asked.target is None or asked.target not in known:
        return None
    target, column = f"target {asked.target!r}", known[asked.target]
    cells = cells_of(column)
    rows = [row for row, cell in enumerate(cells) if not is_missing(cell)]
    problem = ""
    if asked.is_fit:
        problem = lacks(target, cells, "labels", places)
        problem = problem or no_classes(asked.target, column)
    elif asked.another_cohort:
        column = [cells[row] for row in rows]
        problem = no_classes(asked.target, column) if rows else f"{target} has no labels."
    elif len(rows) < len(cells):
        notes.append(f"{target} has missing labels and is ignored")
        return None
    if problem:
        problems.append(problem)
        return None
    if asked.is_fit or not asked.another_cohort:
        return to_labels(column)
    labels = np.full(len(cells), None, dtype=object)
    labels[rows] = to_labels(column)
    return labels


def lacks(what: str, cells: Sequence[object], unit: str, places: Sequence[str]) -> str:
    """Say that cells without a value are not allowed, if there are any."""
    rows = [row for row, cell in enumerate(cells) if is_missing(cell)]
    if not rows:
        return ""
    return (
        f"{what} lacks {len(rows)} of {len(cells)} {unit}, the first in {places[rows[0]]}. Fill "
        "them in or leave out such rows."
    )
