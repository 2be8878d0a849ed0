"""The searches for groups: every class, every kind, with and without the background."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron.biclustering._subgroup_background import Background
from bicneuron.biclustering._subgroup_coexpression import coexpressed_groups
from bicneuron.biclustering._subgroup_kinds import Coexpressed, Shift, Tight
from bicneuron.biclustering._subgroup_list import (
    ScoredGroup,
    are_same,
    distinct_groups,
    score_groups,
)
from bicneuron.biclustering._subgroup_search import (
    Problem,
    find_groups,
    shifted_seeds,
    smaller_groups,
    tight_seeds,
    tree_clusters,
)
from bicneuron.biclustering._subgroup_shifted_sets import shifted_sets

KINDS = (Shift.name, Tight.name, Coexpressed.name)
# Sizes of groups: the smallest number and share, the largest share of the class, and the share of
# the other rows that may be carriers.
MIN_ROWS, MIN_SHARE, MAX_SHARE, OTHER_SHARE = 5, 0.05, 0.6, 0.1
# Tight groups whose parts are looked at, too.
DIVIDED = 10
# A group that another kind tells this many times more strongly is no shift.
SHIFT_PREFERRED = 2.0
Labelled = tuple[Any, ScoredGroup]


def search_classes(
    table: FloatArray,
    removed: list[Background],
    classes: list[tuple[Any, BoolArray]],
    labelled: bool,
    kinds: list[str],
    n_jobs: int | None,
) -> tuple[list[Labelled], int]:
    """Groups of all classes, with the label of each, and the number of seeds.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        Standardised.
    removed : list of Background
    classes : list of (label, bool array of shape (n_rows,))
    labelled : bool
    kinds : list of str
    n_jobs : int or None
    """
    scored: list[Labelled] = []
    n_seeds = 0
    limits = [_limits(in_class) for _, in_class in classes]
    possible = [
        (label, in_class, *limit)
        for (label, in_class), limit in zip(classes, limits, strict=True)
        if limit is not None
    ]
    if not possible or not table.shape[1]:
        return [], 0
    for place, background in enumerate(removed):
        if place and Shift.name not in kinds:
            break
        Z = background.remove(table) if place else np.ascontiguousarray(table, np.float32)
        seeds = None
        if Shift.name in kinds:
            fewest, most = min(p[2] for p in possible), max(p[3] for p in possible)
            seeds = shifted_seeds(Z, fewest, most, n_jobs)
            n_seeds += len(seeds.groups)
        for label, in_class, fewest, most in possible:
            problem = Problem(Z, in_class, labelled, fewest, most, n_jobs)
            groups: list[ScoredGroup] = []
            trees = tree_clusters(problem)
            if seeds is not None:
                shift = Shift()
                starts = np.concatenate([trees, shifted_sets(problem)])
                found = find_groups(problem, shift, seeds, starts)
                groups += score_groups(problem, shift, place, found)
            if Tight.name in kinds and not place:
                tight = Tight(Z)
                windows = tight_seeds(tight, problem)
                n_seeds += len(windows.groups)
                found = find_groups(problem, tight, windows, trees)
                groups += scored_with_parts(problem, tight, found)
            if Coexpressed.name in kinds and not place:
                together, n_pairs = coexpressed_groups(problem)
                n_seeds += n_pairs
                groups += together
            scored += [(label, group) for group in groups]
    return scored, n_seeds


def scored_with_parts(problem: Problem, kind: Tight, groups: BoolArray) -> list[ScoredGroup]:
    """Tight groups with their evidence, and parts of the strongest: splits are too generous."""
    scored = score_groups(problem, kind, 0, groups)
    if not scored:
        return []
    best = np.array([group.carriers for group in scored[:DIVIDED]])
    return scored + score_groups(problem, kind, 0, smaller_groups(problem, kind, best))


def ranked_groups(scored: list[Labelled], most: int) -> list[Labelled]:
    """Distinct groups, strongest first, at most this many; the strongest of each kind are kept."""
    listed: list[Labelled] = []
    for label in dict.fromkeys(label for label, _ in scored):
        for kind in KINDS:
            own = [g for k, g in scored if k == label and g.searched.kind.name == kind]
            if own and not isinstance(own[0].searched.kind, Coexpressed):
                # More than fit: some are listed as another kind.
                own = distinct_groups(own, own[0].searched.kind, 2 * most)
            listed += [(label, group) for group in own]
    listed = sorted(_once(listed), key=lambda item: -item[1].strength)
    names = [group.searched.kind.name for _, group in listed]
    reserved = most // (2 * len(set(names))) if names else 0
    kept = {
        place
        for kind in set(names)
        for place in [k for k, name in enumerate(names) if name == kind][:reserved]
    }
    for place in range(len(listed)):
        if len(kept) >= most:
            break
        kept.add(place)
    return [listed[place] for place in sorted(kept)]


def _once(groups: list[Labelled]) -> list[Labelled]:
    """Each set of rows as one kind only: a shift, unless another kind is much stronger."""

    def preference(item: Labelled) -> float:
        strength = item[1].strength
        return (
            -strength * SHIFT_PREFERRED if isinstance(item[1].searched.kind, Shift) else -strength
        )

    kept: list[Labelled] = []
    for label, group in sorted(groups, key=preference):
        if not any(
            other_label == label and are_same(group.rows, other.rows) for other_label, other in kept
        ):
            kept.append((label, group))
    return kept


def _limits(in_class: BoolArray) -> tuple[int, int] | None:
    """Fewest and most rows of a group, or None if the class is too small to have any."""
    n, n_class = len(in_class), int(in_class.sum())
    fewest = max(MIN_ROWS, round(MIN_SHARE * n_class))
    most = min(round(MAX_SHARE * n_class) + int(OTHER_SHARE * (n - n_class)), n - fewest)
    return None if most < fewest or n_class < fewest else (fewest, most)
