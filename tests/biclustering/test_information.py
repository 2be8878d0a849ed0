import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import consensus_score
from strategies import seeds

from bicneuron.biclustering import InformationCoclustering
from bicneuron.exceptions import NoBiclusterWarning


def naive_loss(table, row_labels, column_labels):
    """KL(p, q) with q(x, y) = p(x^, y^) p(x | x^) p(y | y^), cell by cell."""
    p = table / table.sum()
    loss = 0.0
    for i in range(len(p)):
        for j in range(p.shape[1]):
            rows, columns = row_labels == row_labels[i], column_labels == column_labels[j]
            q = (
                p[np.ix_(rows, columns)].sum()
                * (p[i].sum() / p[rows].sum())
                * (p[:, j].sum() / p[:, columns].sum())
            )
            loss += p[i, j] * np.log(p[i, j] / q) if p[i, j] > 0 else 0.0
    return loss


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")
@given(seeds(), st.integers(1, 4), st.integers(1, 4), st.booleans())
@settings(max_examples=30)
def test_the_loss_is_the_definition_and_never_rises(seed, k, m, signed):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, (9, 7)) + 0.0
    X[0] += 1
    X[:, 0] += 1
    if signed:
        X = rng.normal(size=(9, 7))
    miner = InformationCoclustering(
        n_row_clusters=k, n_column_clusters=m, n_init=2, random_state=0
    ).fit(X)
    kept = np.ix_(miner.row_labels_ >= 0, miner.column_labels_ >= 0)
    table = (X - min(X.min(), 0))[kept]
    labels = miner.row_labels_[miner.row_labels_ >= 0], miner.column_labels_
    labels = labels[0], labels[1][labels[1] >= 0]
    assert miner.losses_[-1] == pytest.approx(naive_loss(table, *labels), abs=1e-9)
    assert np.all(np.diff(miner.losses_) <= 1e-12)


@pytest.mark.parametrize("signed", [False, True])
def test_planted_blocks_of_counts_are_found(signed):
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(np.arange(60) % 3), rng.permutation(np.arange(30) % 3)
    X = rng.poisson(np.where(rows[:, None] == columns, 6.0, 1.0)) + 0.0
    if signed:
        X -= 2.0
    miner = InformationCoclustering(random_state=0).fit(X)
    truth = [[labels == k for k in range(3)] for labels in (rows, columns)]
    assert consensus_score(miner.biclusters_, tuple(map(np.array, truth))) >= 0.95
    again = InformationCoclustering(random_state=0).fit(X)
    assert again.patterns_ == miner.patterns_


def test_rows_and_columns_of_zeros_belong_to_no_cluster():
    counts = np.kron(np.eye(2), np.ones((4, 3)))
    counts[0], counts[:, 0] = 0.0, 0.0
    miner = InformationCoclustering(n_row_clusters=2, n_column_clusters=2, random_state=0)
    miner.fit(counts)
    assert miner.row_labels_[0] == miner.column_labels_[0] == -1
    assert sorted(found.shape for found in miner.patterns_) == [(3, 2), (4, 3)]
    assert miner.losses_[-1] == pytest.approx(0, abs=1e-12)


def test_more_clusters_than_lines_are_as_many_as_lines():
    X = np.random.default_rng(0).poisson(2.0, (8, 5)) + 1.0
    given = {"n_init": 2, "min_rows": 1, "min_columns": 1, "random_state": 0}
    some, many = (
        InformationCoclustering(n_row_clusters=k, n_column_clusters=m, **given).fit(X)
        for k, m in ((8, 5), (10**9, 10**9))
    )
    assert many.patterns_ == some.patterns_
    assert many.losses_[-1] == pytest.approx(0, abs=1e-12)
    with pytest.warns(NoBiclusterWarning, match="change n_row_clusters"):
        InformationCoclustering(n_row_clusters=9, n_column_clusters=9, random_state=0).fit(X)


def test_a_table_of_zeros_has_nothing():
    with pytest.warns(NoBiclusterWarning):
        assert InformationCoclustering().fit(np.zeros((4, 3))).patterns_ == []
