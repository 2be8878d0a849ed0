import numpy as np
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from bicneuron._shared._scaling import ScaledSparse, dense, scaling_of, zscore_scaling
from bicneuron.patterns import Pattern, contrastive_pairs


def test_pairs_of_a_sparse_matrix_are_those_of_the_dense_one():
    rng = np.random.default_rng(0)
    X = csr_matrix(np.where(rng.random((30, 12)) < 0.4, rng.normal(size=(30, 12)), 0.0))
    scaling = scaling_of(zscore_scaling, X)
    found = [
        Pattern(np.sort(rng.permutation(12)[:4]), np.sort(rng.permutation(12)[:3]), 0.1)
        for _ in range(6)
    ]
    pool = np.arange(12, 30)
    Z = ScaledSparse(X, scaling)
    sparse = contrastive_pairs(Z, found, pool, anchor_class="a")
    plain = contrastive_pairs(dense(Z), found, pool, anchor_class="a")
    for a, b in zip(sparse, plain, strict=True):
        assert_array_equal(a.contrast_rows, b.contrast_rows)
        assert_array_equal(a.rows, b.rows)
        assert a.msr_ratio == b.msr_ratio
        assert [part.tolist() for part in a.block] == [part.tolist() for part in b.block]
