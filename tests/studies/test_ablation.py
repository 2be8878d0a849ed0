"""Mined against random pairs: the same sizes, the same everything else."""

import numpy as np
import pytest
from data import make_one_factor
from fold_records import make_fold

from bicneuron import BicNeuronNetwork
from bicneuron.network._hidden import _draw
from bicneuron.network._targets import encode_targets
from reproduction._folds import Fold
from reproduction._problems import Problem
from reproduction._protocols import GROUPED
from studies._classifiers import PATTERNS
from studies._comparison import signed_rank_p_value
from studies._study import write_study
from studies.ablation import MINED, RANDOM, STUDY, RandomPairsNetwork


@pytest.fixture(scope="module")
def problem():
    return Problem.from_labels("made-up", *make_one_factor())


@pytest.fixture(scope="module")
def drawn(problem):
    """Pairs of both networks, drawn with equal generators."""
    sides = encode_targets(problem.y).sides()

    def draw(kind, seed):
        return _draw(problem.X, sides, kind()._resolved_design(), np.random.default_rng(seed))

    return [(draw(BicNeuronNetwork, seed), draw(RandomPairsNetwork, seed)) for seed in range(100)]


def test_random_pairs_have_the_class_and_the_sizes_of_mined_ones(drawn, problem):
    found = [(mined, random) for mined, random in drawn if mined[0] is not None]
    assert len(found) > 50
    for (mined, target), (random, same_target) in found:
        assert same_target == target
        assert random.anchor_class == mined.anchor_class
        for part in ("rows", "contrast_rows", "columns"):
            assert len(getattr(random, part)) == len(getattr(mined, part))
        assert set(problem.y[random.rows]) == {random.anchor_class}
        assert set(problem.y[random.contrast_rows]) == {-random.anchor_class}
    assert all(random[0] is None for mined, random in drawn if mined[0] is None)


def test_random_pairs_know_nothing_of_mined_ones(drawn, problem):
    """They share with them what chance lets them share."""
    n_columns = problem.X.shape[1]
    shared = {"rows": [], "columns": []}
    for (mined, _), (random, _) in drawn:
        if mined is not None:
            n_rows = np.sum(problem.y == mined.anchor_class)
            both = np.isin(random.rows, mined.rows)
            shared["rows"].append(both.mean() - len(mined.rows) / n_rows)
            both = np.isin(random.columns, mined.columns)
            shared["columns"].append(both.mean() - len(mined.columns) / n_columns)
    assert [np.mean(excess) for excess in shared.values()] == pytest.approx([0, 0], abs=0.05)


def test_both_networks_differ_in_their_pairs_only(problem):
    mined, random = (Fold(PATTERNS, problem, model, 3, 0).build() for model in (MINED, RANDOM))
    assert (type(mined), type(random)) == (BicNeuronNetwork, RandomPairsNetwork)
    assert mined.get_params() == random.get_params()
    assert PATTERNS.folds is GROUPED.folds, "persons are kept together"
    fitted = random.set_params(n_neurons=20).fit(problem.X, problem.y)
    assert fitted.score(problem.X, problem.y) > 0.6


def test_differences_are_tested_with_and_without_the_repeated_persons(tmp_path):
    gains = {"chen": 0.25, "colon": 0.125, "parkinsons": -0.5, "wdbc": 0.0625}
    records = [
        make_fold("patterns", dataset, model.name, 0, 0.5 + shift, 0.5)
        for dataset, gain in gains.items()
        for model, shift in ((MINED, gain / 2), (RANDOM, -gain / 2))
    ]
    markdown, _ = write_study(STUDY, records, tmp_path)
    text = markdown.read_text()
    values = np.array([*gains.values()])
    expected = [
        *("0.492", "0.508", "-0.016", "3 / 1", f"{signed_rank_p_value(values):.4f}"),
        *("+0.146", f"{signed_rank_p_value(values[values > 0]):.4f}"),
    ]
    assert f"| {' | '.join(expected)} |" in text
    assert "| parkinsons | 0.250 | 0.750 | -0.500 |" in text
