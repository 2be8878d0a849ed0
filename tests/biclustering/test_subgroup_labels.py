"""Labels of an earlier fit are forgotten."""

from data import make_one_factor

from bicneuron import SubgroupBiclustering


def test_a_fit_without_labels_forgets_the_classes_of_an_earlier_one():
    X, y = make_one_factor()
    miner = SubgroupBiclustering(n_patterns=2).fit(X, y)
    assert hasattr(miner, "classes_")
    assert not hasattr(miner.fit(X), "classes_")
    assert all(pattern.anchor_class is None for pattern in miner.patterns_)
