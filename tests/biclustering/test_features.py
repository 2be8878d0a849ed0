import numpy as np
import pandas as pd
import pytest
from miners import FixedMiner, LabelMiner
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline

from bicneuron import CoherentBiclustering
from bicneuron.biclustering import BiclusterFeatures
from bicneuron.exceptions import NoBiclusterWarning

BLOCKS = [([0, 1, 2], [0, 2, 3]), ([3, 4], [1, 2])]


def naive_feature(train, rows, columns, x, output, delta):
    means = [np.mean([train[i, j] for i in rows]) for j in columns]
    level = np.mean([x[j] for j in columns]) - np.mean(means)
    squares = [(level + m - x[j]) ** 2 for m, j in zip(means, columns, strict=True)]
    return {
        "match": float(all(s <= delta for s in squares)),
        "share": np.mean([s <= delta for s in squares]),
        "residue": np.mean(squares),
    }[output]


@pytest.mark.parametrize("output", ["match", "share", "residue"])
@pytest.mark.parametrize("standardize", [True, False])
def test_features_are_the_definition(rng, output, standardize):
    X, new = rng.normal(size=(6, 4)), rng.normal(size=(20, 4))
    miner = FixedMiner(BLOCKS, standardize=standardize)
    features = BiclusterFeatures(miner=miner, output=output, delta=0.4).fit(X)
    scale = (X.mean(axis=0), X.std(axis=0)) if standardize else (0, 1)
    train, seen = ((A - scale[0]) / scale[1] for A in (X, new))
    expected = [[naive_feature(train, *block, x, output, 0.4) for block in BLOCKS] for x in seen]
    assert_allclose(features.transform(new), expected)


def test_rows_of_a_coherent_block_match_it_at_any_level(rng):
    X = rng.normal(size=(40, 6))
    X[:10, :4] = rng.normal(size=(10, 1)) + rng.normal(size=4)
    miner = FixedMiner([(range(10), range(4))], standardize=False)
    features = BiclusterFeatures(miner=miner, delta=0.01).fit(X)
    assert_array_equal(features.transform(X)[:, 0], np.arange(40) < 10)
    assert features.transform(X[:1] + 7.0) == 1


def test_a_missing_value_does_not_match_and_has_no_residue(rng):
    X = np.arange(5.0)[:, None] + np.arange(3.0)
    X[1, 2] = np.nan
    X[4] = np.nan
    miner = FixedMiner([([0, 2, 3], [0, 1, 2])], standardize=False)
    for output, expected in (
        ("match", [1, 0, 1, 1, 0]),
        ("share", [1, 2 / 3, 1, 1, 0]),
        ("residue", [0, 0, 0, 0, 0]),
    ):
        features = BiclusterFeatures(miner=miner, output=output).fit_transform(X)
        assert_allclose(features[:, 0], expected, atol=1e-12)


def test_values_that_cannot_be_squared_are_refused(rng):
    X = rng.normal(size=(6, 4))
    for standardize in (True, False):
        miner = FixedMiner(BLOCKS, standardize=standardize)
        features = BiclusterFeatures(miner=miner, output="residue").fit(X)
        huge = np.where(np.arange(4) == 1, -1e200, X)
        if standardize:  # values that are scaled are clipped
            assert np.isfinite(features.transform(huge)).all()
        else:
            with pytest.raises(ValueError, match=r"X\[0, 1\] is -1e\+200, too large to square"):
                features.transform(huge)


def test_names_frames_and_several_labels(one_factor):
    X, y = one_factor
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(10)])
    features = BiclusterFeatures(miner=CoherentBiclustering(cut_distance=0.5), output="residue")
    out = features.set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == [f"biclusterfeatures{k}" for k in range(len(features.patterns_))]
    assert features.get_feature_names_out().tolist() == list(out.columns)
    labels = np.column_stack([y, X[:, 0] > 0])
    model = make_pipeline(features, MultiOutputClassifier(LogisticRegression()))
    assert model.fit(frame, labels).predict(frame).shape == (100, 2)
    by_label = BiclusterFeatures(miner=LabelMiner()).fit(X, labels)
    assert len(by_label.patterns_) == 4
    with pytest.raises(ValueError, match="requires y"):
        BiclusterFeatures(miner=LabelMiner()).fit(X)


def test_without_a_bicluster_there_is_no_feature(rng):
    X = rng.normal(size=(8, 3))
    with pytest.warns(NoBiclusterWarning):
        features = BiclusterFeatures(miner=FixedMiner()).fit(X)
    assert features.transform(X).shape == (8, 0)


def test_other_miners_are_refused():
    with pytest.raises(ValueError, match="'miner' parameter"):
        BiclusterFeatures(miner=LogisticRegression()).fit(np.eye(5))
