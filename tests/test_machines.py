"""Other processors and numbers of threads give the same models."""

import numpy as np
import pytest

from benchmarks import machines


def test_the_same_models_with_other_kernels_and_hashes():
    """Of numpy and of OpenBLAS; kernels of numba would be compiled anew, which takes minutes."""
    expected = machines.results(["few"])
    assert len(expected) >= 9
    variants = machines.variants()
    other = {"PYTHONHASHSEED": "2", **variants["threads 1"]}
    for library in ("numpy", "OpenBLAS"):
        other |= next((own for name, own in variants.items() if name.startswith(library)), {})
    assert machines.differences(expected, machines.results_under(other, ["few"])) == {}


@pytest.mark.slow
def test_the_same_models_with_other_kernels_of_all_kinds():
    parts = [name for name in machines.FITS if name != "few"]
    expected = machines.results_under({}, parts)
    unequal = set()
    for settings in machines.variants().values():
        unequal.update(machines.differences(expected, machines.results_under(settings, parts)))
    assert len(unequal) <= machines.MOST_DIFFERENT * len(expected), sorted(unequal)


def test_what_differs_is_told():
    ours = [np.array([1, 2]), np.array([0.5, 2.0]), np.array(["a"])]
    assert machines.difference(ours, ours, 1e-8) is None
    close = [ours[0], ours[1] * (1 + 1e-10), ours[2]]
    assert machines.difference(ours, close, 1e-8) is None
    for place, other in ((0, [1, 3]), (1, [0.5, 2.001]), (2, ["b"]), (1, [0.5])):
        changed = [np.array(other) if k == place else value for k, value in enumerate(ours)]
        assert f"value {place}" in machines.difference(ours, changed, 1e-8)
