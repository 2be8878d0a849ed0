"""The order of rows and columns follows from ranks, not from bits."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

from bicneuron._shared._content_order import content_order, mirrored, tied_ranks
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._together import close_rows, common_stems, copies, joined

TABLES = {
    "numbers": np.random.default_rng(0).normal(size=(30, 12)),
    "few values": np.random.default_rng(1).integers(0, 4, (60, 9)) / 10,
    "a column and its logarithm": np.exp(np.random.default_rng(2).normal(size=(20, 3)))[
        :, [0, 1, 2, 0, 1]
    ],
    "missing": np.where(
        np.random.default_rng(3).random((25, 6)) < 0.2,
        np.nan,
        np.random.default_rng(4).normal(size=(25, 6)),
    ),
}
TABLES["a column and its logarithm"][:, 3:] = np.log(TABLES["a column and its logarithm"][:, 3:])
EVERY = pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)


def sorted_table(X):
    order = content_order(tied_ranks(X), np.nan_to_num(X))
    return X[np.ix_(*order)]


@EVERY
def test_the_order_of_the_table_does_not_matter(X):
    expected = sorted_table(X)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        assert_array_equal(sorted_table(X[np.ix_(rows, columns)]), expected)


@EVERY
def test_last_bits_and_units_do_not_matter(X):
    values = np.nan_to_num(X)
    expected = content_order(tied_ranks(X), values)
    for seed in range(10):
        noise = 1 + 1e-15 * np.random.default_rng(seed).choice([-1, 1], X.shape)
        for other in (X * noise, 2.54 * X, -X):
            assert_array_equal(content_order(tied_ranks(other), values)[0], expected[0])
            assert_array_equal(content_order(tied_ranks(other), values)[1], expected[1])


def test_ranks():
    X = np.array([[3.0, np.nan, 7.0], [0.1 + 0.2, np.nan, 7.0], [0.3, np.nan, 7.0 + 1e-14]])
    X = np.vstack([X, [np.nan, np.nan, np.nan]])
    assert tied_ranks(X).tolist() == [[2, 0, 1], [1, 0, 1], [1, 0, 1], [0, 0, 0]]
    assert mirrored(tied_ranks(X)).tolist() == [[1, 0, 1], [2, 0, 1], [2, 0, 1], [0, 0, 0]]


def test_huge_values_keep_their_ranks():
    assert tied_ranks(np.array([[-1.7e308], [1.7e308], [1e308]])).ravel().tolist() == [1, 3, 2]


def test_an_integer_is_its_own_seed_and_a_random_state_is_asked():
    assert draw_seed(5) == draw_seed(np.int64(5)) == 5
    random_state = np.random.RandomState(0)
    first, second = draw_seed(random_state), draw_seed(random_state)
    assert first == draw_seed(np.random.RandomState(0))
    assert first != second


# --- Rows that are not independent: copies, ids with a common stem, close neighbours


def same_parts(one, other):
    """True if two numberings put the same rows together."""
    pairs = {*zip(one, other, strict=True)}
    return len(pairs) == len({*one}) == len({*other})


def made(form, n_units, ends):
    """Ids with the number of their unit."""
    return [(form.format(unit, end), unit) for unit in range(1, n_units + 1) for end in ends]


TCGA = [(f"TCGA-{'ABC'[i % 3]}{i % 3}-{1000 + i}-01A-11R-07", i) for i in range(90)]
OF_UNITS = {
    "numbers": made("P{:03d}_{}", 30, (1, 2)),
    "letters behind numbers": made("P{:03d}{}", 30, "ab"),
    "sides": made("P{:03d} {}", 30, ("left", "right")),
    "sides in one letter": made("{}{}", 30, "LR"),
    "times": made("S{} T{}", 12, range(3)),
    "more times than units": made("P{:02d}_t{:02d}", 8, range(30)),
    "tissues": made("case-{}-{}", 25, ("tumor", "normal")),
    "sides and numbers": made("P{:02d}_{}", 20, ("left_1", "left_2", "right_1", "right_2")),
    "of a program": made("P{}{}", 30, ("", ".1")),
    "centre, patient, visit": [
        (f"{patient % 4:02d}-{patient:03d}-{visit}", patient)
        for patient in range(48)
        for visit in (1, 2, 3)
    ],
    "initials": [(f"{a}{b}_{n}", a + b) for a in "ABCDEF" for b in "KLMNO" for n in (1, 2)],
    "barcodes": TCGA + [(one.replace("01A-11R", "11A-21R"), i) for one, i in TCGA[::8]],
    "few of many": made("P{:03d}_{}", 60, (1,)) + made("P{:03d}_{}", 5, (2,)),
    "a mouse": made("Maus 0{}/{}", 8, (1, 2, 3)),
    "an id twice": [*made("P{:03d}_{}", 30, (1, 2)), ("P001_1", 1)],
}


@pytest.mark.parametrize("scheme", OF_UNITS)
def test_ids_of_one_unit_have_a_common_stem(scheme):
    order = np.random.default_rng(0).permutation(len(OF_UNITS[scheme]))
    ids, units = zip(*(OF_UNITS[scheme][row] for row in order), strict=True)
    found = common_stems(ids)
    assert found is not None
    assert same_parts(found, units)


STATES = (
    "Ohio;Utah;Iowa;Maine;Texas;Idaho;Kansas;Nevada;Oregon;Alaska;Hawaii;Georgia;Florida;Indiana"
)
RANDOM = np.random.default_rng(1)
INNOCENT = {
    "numbers": [str(i) for i in range(100)],
    "one stem": [f"sample_{i}" for i in range(1, 91)],
    "classes": [f"{kind}_{i}" for kind in ("case", "control") for i in range(1, 46)],
    "kinds of tumours": [
        f"{kind}.T{i}" for kind in ["EWS", "BL", "NB", "RMS"] for i in range(1, 22)
    ],
    "years": [f"{year}-{i:03d}" for year in (2019, 2020, 2021) for i in range(1, 40)],
    "days": [f"20{y}-{m:02d}-{d:02d}" for y in range(10, 20) for m in range(1, 13) for d in (1, 9)],
    "days of Europe": [f"{d:02d}.{m:02d}.2021" for m in range(1, 13) for d in range(1, 6)],
    "countries": [
        f"{land}-{i}"
        for land in ["DE", "FR", "UK", "IT", "ES", "PT", "NL", "BE"]
        for i in range(30)
    ],
    "batches": [f"batch{b}_sample{17 * b + i}" for b in range(6) for i in range(17)],
    "wells": [f"{row}{column:02d}" for row in "ABCDEFGH" for column in range(1, 13)],
    "plates": [f"plate{b}_{row}{i}" for b in (1, 2, 3) for row in "ABCDEFGH" for i in range(12)],
    "files": [f"GSM{12345 + i}.CEL.gz" for i in range(60)],
    "hashes": ["".join(RANDOM.choice([*"0123456789abcdef"], 8)) for _ in range(300)],
    "cells": [f"{''.join(RANDOM.choice([*'ACGT'], 9))}-{k}" for k in (1, 2) for _ in range(50)] * 2,
    "genes": [f"ENSG{i:08d}.{i % 9}" for i in range(100)],
    "bins": [f"chr{c}:{s}000-{s + 1}000" for c in range(1, 23) for s in range(20)],
    "one row each": [f"P{i:03d}_1" for i in range(60)],
    "running behind": [f"P{i:03d}_{i}" for i in range(60)],
    "states": [*STATES.split(";"), "New York", "New Jersey", "North Dakota", "South Dakota"],
    "empty": [""] * 20,
    "none": [],
}


@pytest.mark.parametrize("scheme", INNOCENT)
def test_ids_of_other_schemes_have_none(scheme):
    assert common_stems(INNOCENT[scheme]) is None


def test_copies_are_numbered_like_the_naive_way():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(25, 6))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    table = rows[rng.integers(0, 25, size=60)]
    table[5], table[6] = 1.5, 1.5
    table[5, 0], table[6, 0] = 0.0, -0.0
    keys = [tuple("nan" if np.isnan(cell) else cell + 0.0 for cell in row) for row in table]
    assert same_parts(copies(table), keys)


def test_rows_that_meet_by_chance_are_no_copies():
    """Two irises have the same four lengths."""
    X = load_iris().data
    flowers = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    assert flowers.max() + 1 == 149
    assert copies(X).max() + 1 == 150
    twice = [*range(150), *range(150)]
    assert same_parts(copies(X[twice]), flowers[twice])
    every = np.array([*product([0.0, 1.0], repeat=7)] * 9)
    assert copies(every).max() + 1 == len(every)
    assert len({*copies(np.ones((3000, 5))).tolist()}) == 1


@pytest.mark.parametrize(
    ("values", "are_copies"),
    [
        (lambda rng: rng.normal(size=(30, 3)), True),
        (lambda rng: rng.normal(size=(30, 2)), False),  # too few columns
        (lambda rng: rng.integers(1, 6, size=(30, 4)), False),  # answers on a scale
        (lambda rng: rng.integers(1, 6, size=(30, 40)), True),
        (lambda rng: rng.permuted(np.tile(np.arange(1, 31), (4, 1)).T, axis=0), True),  # counts
    ],
)
def test_what_makes_copies(values, are_copies):
    rows = np.asarray(values(np.random.default_rng(0)), np.float64)
    found = copies(np.vstack([rows, rows]))
    assert same_parts(found, [*range(30)] * 2) == are_copies
    assert are_copies or len({*found.tolist()}) == 60


def test_ten_measurements_are_copies_whatever_the_whole_numbers():
    rows = np.random.default_rng(0).normal(size=(20, 10))
    twice = np.column_stack([np.vstack([rows, rows]), np.arange(40)])
    assert same_parts(copies(twice), [*range(20)] * 2)
    assert len({*copies(twice[:, 1:]).tolist()}) == 40, "nine are not enough"


def test_rows_that_are_together_in_either_are_joined():
    one, other = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 2, 3])
    assert same_parts(joined(one, other), [0, 0, 0, 1, 2])


@pytest.mark.parametrize("n_samples", [2, 3])
def test_rows_of_a_patient_are_close(n_samples):
    rng = np.random.default_rng(n_samples)
    patients = rng.normal(size=(40, 60))
    rows = np.vstack([patients + 0.35 * rng.normal(size=patients.shape) for _ in range(n_samples)])
    rows[rng.random(rows.shape) < 0.02] = np.nan
    found = close_rows(rows)
    assert found.mean() > 0.4
    assert not close_rows(rows[:40]).any(), "one of each"
    assert not close_rows(rows[:, :15]).any(), "in few columns, neighbours are close by chance"


@pytest.mark.parametrize("n_factors", [0, 1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_noise_are_not_close(n_factors, seed):
    rng = np.random.default_rng([seed, n_factors])
    X = rng.normal(size=(60, 40)) + rng.normal(size=(60, n_factors)) @ rng.normal(
        size=(n_factors, 40)
    )
    assert not close_rows(X).any()
