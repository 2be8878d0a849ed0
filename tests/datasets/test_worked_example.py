import numpy as np
from numpy.testing import assert_array_equal
from sklearn.preprocessing import minmax_scale

from bicneuron.datasets import load_worked_example


def test_printed_values_are_the_rounded_min_max_of_the_raw_ones():
    raw, printed = load_worked_example().data, load_worked_example(printed=True).data
    assert_array_equal(np.round(minmax_scale(raw), 2), printed)


def test_description_of_the_figure():
    example = load_worked_example()
    assert example.data.shape == (9, 4)
    assert_array_equal(example.data[[0, 8]], [[15, 12, 20, 13], [20, 17, 30, 50]])
    assert_array_equal(example.target, [-1] * 4 + [1] * 5)
    assert example.feature_names == ["f1", "f2", "f3", "f4"]
    assert (example.object_names[0], example.object_names[-1]) == ("o1", "o9")
    assert "arXiv:1603.06859" in example.DESCR
    (rows_1, columns_1), (rows_2, columns_2) = example.biclusters
    assert_array_equal(
        example.data[rows_1][:, columns_1], [[15, 12, 20], [20, 18, 25], [25, 22, 30]]
    )
    assert_array_equal(example.data[rows_2][:, columns_2], [[30, 35], [46, 50]])


def test_data_and_target_only():
    example = load_worked_example(printed=True)
    X, y = load_worked_example(printed=True, return_X_y=True)
    assert_array_equal(X, example.data)
    assert_array_equal(y, example.target)


def test_each_call_gives_fresh_arrays():
    load_worked_example().data[:] = 0
    assert load_worked_example().data.max() == 50
