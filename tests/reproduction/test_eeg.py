import math

import numpy as np
import pytest
import pywt
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.utils.estimator_checks import parametrize_with_checks

from reproduction.datasets import WaveletFeatures, load_dataset


@parametrize_with_checks([WaveletFeatures()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def naive_features(signal, wavelet, level):
    """max, min, mean, std of every band of one signal, in the order of the documentation."""
    features = []
    for band in pywt.wavedec(list(signal), wavelet, level=level):
        values = [float(value) for value in band]
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        features += [max(values), min(values), mean, math.sqrt(variance)]
    return features


def signals(n_signals=3, n_samples=4097, seed=0):
    return np.random.default_rng(seed).normal(size=(n_signals, n_samples)).cumsum(axis=1)


@pytest.mark.real_data
def test_bonn_signals(real_folder):
    X, y = load_dataset("eeg", data_home=real_folder, return_X_y=True)
    transformed = WaveletFeatures().fit_transform(X)
    assert transformed.shape == (500, 40)
    for i in (0, 99, 250, 499):
        assert_allclose(transformed[i], naive_features(X[i], "db4", None), rtol=1e-9)
    # Seizures are an order of magnitude stronger in every band than healthy activity.
    spread = transformed[:, 3::4]
    assert (spread[y == "E"].mean(axis=0) > 2 * spread[y == "A"].mean(axis=0)).all()


@given(
    st.integers(1, 200),
    st.sampled_from(["db4", "haar", "sym5", "bior2.2"]),
    st.integers(0, 2**32 - 1),
    st.data(),
)
@settings(deadline=None, max_examples=25)
def test_any_length_wavelet_and_level(n_samples, wavelet, seed, data):
    X = signals(2, n_samples, seed)
    deepest = pywt.dwt_max_level(n_samples, pywt.Wavelet(wavelet).dec_len)
    level = data.draw(st.none() | st.integers(0, deepest))
    features = WaveletFeatures(wavelet=wavelet, level=level).fit(X)
    assert features.level_ == (deepest if level is None else level)
    expected = [naive_features(row, wavelet, features.level_) for row in X]
    assert_allclose(features.transform(X), expected, rtol=1e-9, atol=1e-12)


def test_short_signals_are_their_own_band():
    X = np.array([[1.0, 3.0], [5.0, 5.0]])
    features = WaveletFeatures()
    assert features.fit_transform(X).tolist() == [[3, 1, 2, 1], [5, 5, 5, 0]]
    assert features.get_feature_names_out().tolist() == ["A0_max", "A0_min", "A0_mean", "A0_std"]


def test_statistics_in_the_order_given():
    X = signals()
    every = WaveletFeatures().fit(X)
    some = WaveletFeatures(statistics=["std", "max"]).fit(X)
    names = every.get_feature_names_out().tolist()
    columns = [names.index(name) for name in some.get_feature_names_out()]
    assert_allclose(some.transform(X), every.transform(X)[:, columns])
    assert some.get_feature_names_out()[:4].tolist() == ["A9_std", "A9_max", "D9_std", "D9_max"]
    assert some.get_feature_names_out()[-1] == "D1_max"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"level": 10}, "level=10 is too deep for signals of 4097 samples: at most 9"),
        ({"wavelet": "morl"}, "wavelet='morl' is not a discrete wavelet"),
        ({"statistics": ()}, "one or more of max, min, mean, std; got ()"),
        ({"statistics": ("max", "median")}, "got ('max', 'median')"),
    ],
)
def test_bad_parameters(parameters, said):
    with pytest.raises(ValueError) as raised:
        WaveletFeatures(**parameters).fit(signals())
    assert said in str(raised.value)
