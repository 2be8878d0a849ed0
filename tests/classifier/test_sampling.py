"""Options that bound the cost: sampled seeds, a limit of columns, sampled rows."""

import numpy as np
from data import make_one_factor
from numpy.testing import assert_array_equal

from bicneuron import BicNeuronClassifier, CoherentBiclustering


def blocks(miner):
    return {(b.rows.tobytes(), b.columns.tobytes()) for b in miner.patterns_}


def test_sampled_seeds_find_a_part_of_what_all_seeds_find():
    X, _ = make_one_factor()
    everything = CoherentBiclustering(cut_distance=0.5, merge=False).fit(X)
    some = [
        CoherentBiclustering(cut_distance=0.5, merge=False, max_seeds=10, random_state=s).fit(X)
        for s in (0, 0, 1)
    ]
    assert everything.n_seeds_ > 10
    assert [miner.n_seeds_ for miner in some] == [10, 10, 10]
    assert blocks(some[0]) == blocks(some[1]) != blocks(some[2])
    assert blocks(some[0]) < blocks(everything)


def test_as_many_seeds_as_there_are_change_nothing():
    X, _ = make_one_factor()
    everything = CoherentBiclustering(cut_distance=0.5).fit(X)
    n_seeds = everything.n_seeds_
    assert (
        CoherentBiclustering(cut_distance=0.5, max_seeds=n_seeds).fit(X).patterns_
        == everything.patterns_
    )


def test_growth_stops_at_max_columns():
    X, _ = make_one_factor()
    free = CoherentBiclustering(cut_distance=0.5, merge=False).fit(X)
    bound = CoherentBiclustering(cut_distance=0.5, merge=False, max_columns=4).fit(X)
    assert max(b.shape[1] for b in free.patterns_) > 4
    assert max(b.shape[1] for b in bound.patterns_) == 4


def test_max_rows_takes_a_sample_of_each_class_and_tells_which():
    X, y = make_one_factor()
    model = BicNeuronClassifier(
        search=None,
        miner=CoherentBiclustering(cut_distance=0.5),
        max_rows=30,
        max_ratio=np.inf,
        random_state=0,
    ).fit(X, y)
    used = model.rows_used_
    assert_array_equal(used, np.unique(used))
    assert np.bincount(y[used]).tolist() == [30, 30]
    small = BicNeuronClassifier(
        search=None,
        miner=CoherentBiclustering(cut_distance=0.5),
        max_ratio=np.inf,
        random_state=0,
        anchor=1,
    ).fit(X[used], y[used])
    assert model.pairs_ == small.pairs_
    assert_array_equal(model.decision_function(X), small.decision_function(X))


def test_the_sample_of_rows_is_drawn_anew_with_each_seed():
    X, y = make_one_factor()
    samples = [
        BicNeuronClassifier(
            search=None,
            miner=CoherentBiclustering(cut_distance=0.5),
            max_rows=30,
            max_ratio=np.inf,
            random_state=seed,
        )
        .fit(X, y)
        .rows_used_.tolist()
        for seed in (1, 1, 2)
    ]
    assert samples[0] == samples[1] != samples[2]
    for label in (0, 1):
        assert len({row for sample in samples for row in sample if y[row] == label}) > 30


def test_the_anchor_is_the_minority_of_all_rows_not_of_the_sample():
    X, y = make_one_factor(n_minority=40, n_majority=60)
    for labels in (y, 1 - y):
        model = BicNeuronClassifier(
            search=None,
            miner=CoherentBiclustering(cut_distance=0.5),
            max_rows=30,
            max_ratio=np.inf,
            random_state=0,
        ).fit(X, labels)
        minority = int(np.bincount(labels).argmin())
        assert {pair.anchor_class for pair in model.pairs_} == {minority}
