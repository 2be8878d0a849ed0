"""numpy itself is the twin: the same states, words and orders, bit for bit."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bicneuron._core._shuffling import generator_of, next_word, shuffle

SEEDS = st.integers(0, 2**64 - 1)
EDGES = [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1]


def number(words):
    return sum(int(word) << 32 * k for k, word in enumerate(words))


def assert_like_numpy(seed):
    generator, expected = generator_of(np.uint64(seed)), np.random.PCG64(seed)
    state = expected.state["state"]
    assert number(generator[:4]) == state["state"]
    assert number(generator[4:8]) == state["inc"]
    for pair in zip(*[iter([next_word(generator) for _ in range(40)])] * 2, strict=True):
        assert number(pair) == expected.random_raw()


@pytest.mark.parametrize("seed", EDGES)
def test_words_of_seeds_at_the_edges(seed):
    assert_like_numpy(seed)


@settings(deadline=None)
@given(SEEDS)
def test_words(seed):
    assert_like_numpy(seed)


@settings(deadline=None)
@given(SEEDS, st.integers(0, 70), st.integers(1, 4))
@example(7, 1, 3).via("nothing to draw")
@example(0, 64, 2).via("a power of two")
def test_orders(seed, size, n_orders):
    rng, generator = np.random.Generator(np.random.PCG64(seed)), generator_of(np.uint64(seed))
    for expected in rng.permuted(np.tile(np.arange(size), (n_orders, 1)), axis=1):
        order = np.arange(size)
        shuffle(order, generator)
        assert_array_equal(order, expected)
