"""Known structure of the rows, such as batches or ages: its effects are set aside."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._scaling import DECIMALS, Columns
from bicneuron.exceptions import KnownStructureWarning

# Rounds in which missing cells are replaced by what the structure explains.
FILLING_ROUNDS = 10
# Smallest deviation of a column that is left, as a share of what it was.
LEAST_LEFT = 1e-3
# Share of the variance of a class from which on it coincides with the known structure.
COINCIDES = 0.8


class RowStructure(NamedTuple):
    """How the strata and covariates of rows become numbers."""

    levels: list[list[str]]
    centre: FloatArray
    scale: FloatArray
    n_covariates: int

    def numbers(self, strata: Any, covariates: Any, n_rows: int) -> FloatArray:
        """Numbers of rows, shape (n_rows, n_effects); 0 is the mean of the training rows."""
        groups, values = _known_columns(strata, covariates, n_rows)
        for name, given, columns, expected in (
            ("strata", strata, groups, len(self.levels)),
            ("covariates", covariates, values, self.n_covariates),
        ):
            if (given is not None) != bool(expected):
                raise ValueError(
                    f"the model was fitted {'with' if expected else 'without'} {name}; give "
                    f"{'them, or neither strata nor covariates' if expected else 'none'}."
                )
            if len(columns) != expected:
                raise ValueError(
                    f"{name} has {len(columns)} columns, but the model was fitted to {expected}."
                )
        for own, levels in zip(groups, self.levels, strict=True):
            if unknown := sorted(set(own.tolist()) - set(levels)):
                raise ValueError(
                    f"strata has {unknown[0]!r}, but the model knows {', '.join(levels)}; "
                    "leave the strata of new rows out to place them at the mean of all."
                )
        return (_indicators(groups, self.levels, values) - self.centre) / self.scale


def row_structure(strata: Any, covariates: Any, n_rows: int) -> tuple[RowStructure, FloatArray]:
    """Strata and covariates of the training rows, and their numbers."""
    groups, values = _known_columns(strata, covariates, n_rows)
    for name, columns in (("strata", groups), ("covariates", values)):
        for place, own in enumerate(columns):
            if len(set(own.tolist())) < 2:
                raise ValueError(
                    f"column {place} of {name} has one value, {own.tolist()[0]!r}, for all rows; "
                    "leave it out."
                )
    levels = [sorted(set(own.tolist())) for own in groups]
    table = _indicators(groups, levels, values)
    structure = RowStructure(levels, table.mean(axis=0), table.std(axis=0), len(values))
    return structure, (table - structure.centre) / structure.scale


def _known_columns(
    strata: Any, covariates: Any, n_rows: int
) -> tuple[list[AnyArray], list[FloatArray]]:
    """Columns of strata, as text, and of covariates; there may be none."""
    groups = [] if strata is None else [_names(own) for own in _columns(strata, n_rows, "strata").T]
    if covariates is None:
        return groups, []
    table = _columns(covariates, n_rows, "covariates")
    try:
        numbers = table.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "covariates has values that are not numbers; give these columns as strata."
        ) from None
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        row, column = bad[0].tolist()
        raise ValueError(
            f"covariates has {numbers[row, column]} in row {row}, column {column}; fill it, or "
            "leave the row out."
        )
    return groups, list(numbers.T)


def _indicators(
    groups: list[AnyArray], levels: list[list[str]], values: list[FloatArray]
) -> FloatArray:
    columns = [own == level for own, known in zip(groups, levels, strict=True) for level in known]
    return np.array([*columns, *values], np.float64).T


class SetAside(NamedTuple):
    """What known structure explains of the columns of a standardised table."""

    structure: RowStructure
    effects: FloatArray
    deviation: FloatArray
    has_rest: BoolArray

    def take(self, columns: Columns) -> "SetAside":
        """What is explained of some of the columns."""
        effects, deviation = self.effects[:, columns], self.deviation[columns]
        return SetAside(self.structure, effects, deviation, self.has_rest[columns])

    def remove(self, standard: FloatArray, numbers: FloatArray, missing: BoolArray) -> FloatArray:
        """Standardised rows without the structure; missing cells stay 0."""
        if self.effects.shape[1:] != standard.shape[1:]:  # of a forged file
            raise ValueError(f"strata and covariates do not fit the {standard.shape[1]} columns.")
        # No matrix product: its bits may depend on the number of rows.
        left = standard - np.einsum("ik,kj->ij", numbers, self.effects)
        left = np.round(left / self.deviation, DECIMALS) + 0.0
        return np.where(missing | ~self.has_rest, 0.0, left)


def learn_structure(
    structure: RowStructure,
    design: FloatArray,
    blocks: Iterable[tuple[FloatArray, BoolArray]],
    least_rows: int,
) -> SetAside:
    """Fit columns by the structure of their rows, from blocks of scores and of missing cells."""
    n_fitted = int(np.linalg.matrix_rank(design)) + 1
    if len(design) - n_fitted < least_rows:
        raise ValueError(
            f"strata and covariates fit {n_fitted} numbers to {len(design)} rows, which leaves too "
            f"few to search, fewer than {least_rows}; give strata with more rows each, or fewer."
        )
    inverse: FloatArray = np.asarray(np.linalg.pinv(design), np.float64)
    learnt = []
    for standard, unknown in blocks:
        effects = inverse @ standard
        for _ in range(FILLING_ROUNDS if unknown.any() else 0):
            effects = inverse @ np.where(unknown, design @ effects, standard)
        left = np.where(unknown, 0.0, standard - design @ effects)
        learnt.append((effects, left.std(axis=0)))
    effects = np.hstack([one for one, _ in learnt])
    deviation = np.concatenate([one for _, one in learnt])
    has_rest = deviation > LEAST_LEFT
    return SetAside(structure, effects, np.where(has_rest, deviation, 1.0), has_rest)


def warn_of_coincidence(numbers: FloatArray, in_class: Mapping[Any, BoolArray]) -> None:
    """Warn if the known structure nearly tells the class: what differs by class is set aside."""
    for label, mask in in_class.items():
        centred = mask - mask.mean()
        if not centred.any():
            continue
        fitted = numbers @ (np.linalg.pinv(numbers) @ centred)
        share = float(fitted @ fitted / (centred @ centred))
        if share >= COINCIDES:
            warnings.warn(
                f"strata and covariates explain {share:.0%} of who is in class {label!r}: what "
                "the class differs in is set aside with them, and what is found may be of either.",
                KnownStructureWarning,
                stacklevel=5,
            )
            return


def _columns(values: Any, n_rows: int, name: str) -> AnyArray:
    table = np.asarray(values)
    if table.ndim not in (1, 2) or not table.size or len(table) != n_rows:
        raise ValueError(
            f"{name} has the shape {table.shape}; give one value, or one row, for each of the "
            f"{n_rows} rows of X."
        )
    return table.reshape(n_rows, -1)


def _names(values: AnyArray) -> AnyArray:
    """Strata as text; 1, 1.0 and "1" are one stratum, as files may write it."""
    plain = values.tolist()
    missing = [row for row, value in enumerate(plain) if value is None or value != value]
    if missing:
        raise ValueError(f"strata has no value in row {missing[0]}; fill it, or leave the row out.")
    return np.array(
        [str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in plain]
    )
