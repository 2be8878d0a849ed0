"""Hypothesis strategies that the tests share."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bicneuron._core._merge import MAX_PARTNERS


def seeds():
    """Seeds of a numpy generator."""
    return st.integers(0, 2**32 - 1)


@st.composite
def blocks(draw, *, min_rows=1, max_rows=6, min_columns=1, max_columns=6):
    """Small matrices of hundredths in [-100, 100]: ties are common, extremes are not."""
    shape = draw(st.integers(min_rows, max_rows)), draw(st.integers(min_columns, max_columns))
    return draw(hnp.arrays(np.int64, shape, elements=st.integers(-10_000, 10_000))) / 100


@st.composite
def tie_free_matrices(draw, *, min_rows=2, max_rows=12, min_columns=2, max_columns=6):
    """Matrices of standard normal entries, where no two sums are ever equal."""
    shape = draw(st.integers(min_rows, max_rows)), draw(st.integers(min_columns, max_columns))
    return np.random.default_rng(draw(seeds())).standard_normal(shape)


@st.composite
def coherent_matrices(draw, *, min_rows=2, max_rows=12, min_columns=2, max_columns=10):
    """Row effects plus column effects plus a little noise, and some columns of noise alone."""
    shape = draw(st.integers(min_rows, max_rows)), draw(st.integers(min_columns, max_columns))
    rng = np.random.default_rng(draw(seeds()))
    noise = rng.standard_normal(shape)
    effects = rng.standard_normal((shape[0], 1)) + rng.standard_normal(shape[1])
    level = draw(st.sampled_from([0.03, 0.1, 0.3]))
    return np.where(rng.random(shape[1]) < 0.7, effects + level * noise, noise)


def index_sets(size, *, min_size=1, max_size=None):
    """Sorted arrays of distinct indices below ``size``."""
    sets = st.sets(st.integers(0, size - 1), min_size=min_size, max_size=max_size)
    return sets.map(lambda indices: np.array(sorted(indices), dtype=np.intp))


def matrices():
    """Matrices to search in, with and without something to be found."""
    return tie_free_matrices(max_columns=10) | coherent_matrices()


def max_residues():
    """Bounds on the residue of a union."""
    return st.sampled_from([0.02, 0.1, 0.3, 0.6, 1.0])


def distinct_blocks(n_rows, n_columns, *, through=frozenset(), max_blocks=MAX_PARTNERS + 1):
    """Lists of distinct blocks, each a pair of frozensets, all of which hold a line ``through``."""

    def line(size):
        inner = st.frozensets(st.integers(0, size - 1), min_size=1 - len(through), max_size=4)
        return inner.map(lambda indices: indices | through)

    return st.lists(st.tuples(line(n_rows), line(n_columns)), max_size=max_blocks, unique=True)


@st.composite
def matrices_and_blocks(draw, *, through=frozenset()):
    """A matrix and a list of blocks of it."""
    shape = {"max_rows": 9, "max_columns": 9}
    Z = draw(tie_free_matrices(**shape) | coherent_matrices(**shape))
    return Z, draw(distinct_blocks(*Z.shape, through=through))


@st.composite
def search_starts(draw, source=None):
    """A matrix, at least two of its rows, one of its columns, and a bound of its residue."""
    Z = draw(matrices() if source is None else source)
    rows = draw(index_sets(len(Z), min_size=2))
    return Z, rows, draw(st.integers(0, Z.shape[1] - 1)), draw(residues())


def residues():
    """Bounds of the residue, from hardly any to about that of standard normal entries."""
    return st.sampled_from([0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0])
