"""The facts about the data sets of the paper."""

import pickle
from hashlib import sha256

import pytest

from reproduction.datasets import dataset_info, list_datasets

NAMES = [
    *("chen", "chowdary", "colon", "ionosphere", "lsvt", "parkinsons", "ringnorm"),
    *("singh", "sonar", "spambase", "tipspam", "twonorm", "wdbc", "eeg"),
]
AVAILABLE = [name for name in NAMES if name != "tipspam"]
OPENML = {
    "ionosphere": 59,
    "sonar": 40,
    "spambase": 44,
    "parkinsons": 1488,
    "lsvt": 1484,
    "ringnorm": 1496,
    "twonorm": 1507,
}


def known(key):
    """The sets that have a value, with it."""
    values = {name: getattr(dataset_info(name), key) for name in NAMES}
    return {name: value for name, value in values.items() if value}


def test_what_is_known_of_which_set():
    list_datasets().clear()
    assert list_datasets() == NAMES, "in the order of Table 1"
    assert known("openml_id") == OPENML
    assert known("stand_in") == {
        **dict.fromkeys(("ringnorm", "twonorm"), "generated"),
        "wdbc": "scikit-learn",
    }
    assert {*known("paper_leak")} == {"sonar", "wdbc"}
    assert {*known("paper_row_index")} | {*known("paper_file")} == {"sonar", "wdbc"}
    assert {*known("subjects")} == {"lsvt", "parkinsons"}
    assert {*known("file")} == {*AVAILABLE}
    tipspam = dataset_info("tipspam")
    assert "not available" in tipspam.unavailable
    assert (tipspam.shape, tipspam.paper_shape) == (None, (2762, 23))
    again = pickle.loads(pickle.dumps(tipspam))  # entries travel between processes
    assert (again, hash(again)) == (tipspam, hash(tipspam))


@pytest.mark.parametrize("name", AVAILABLE)
def test_class_counts_and_shapes_are_those_of_the_paper(name):
    info = dataset_info(name)
    counts = [count for _, count in info.class_counts]
    assert sum(counts) == info.shape[0] == info.paper_shape[0]
    assert counts == sorted(counts)
    assert [round(100 * count / sum(counts), 1) for count in counts] == list(info.paper_percentages)
    different = {"sonar": (208, 61), "wdbc": (569, 31), "eeg": (500, 40)}
    assert info.paper_shape == different.get(name, info.shape)
    # Class sizes tell the labels of OpenML apart.
    assert name not in OPENML or len(set(counts)) == len(counts)


@pytest.mark.parametrize(
    ("name", "people", "digest"),
    [
        ("parkinsons", 32, "92d7c660963a1f27a148f9a98ecc9c8ee2cb4aafc8cb5a207b8b2b118a38c3bd"),
        ("lsvt", 14, "909f975007d9caa723bb42da64317b6611629f532141bce57834db4c0b7c23b1"),
    ],
)
def test_subjects_are_those_of_the_subject_files(name, people, digest):
    info = dataset_info(name)
    assert len(info.subjects) == info.shape[0]
    assert len(set(info.subjects)) == people
    file = "\n".join(["subject", *info.subjects]) + "\n"
    assert sha256(file.encode()).hexdigest() == digest


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sonnar", r"name='sonnar' is not a data set. Did you mean 'sonar'\?"),
        ("?", r"name='\?' is not a data set. Known: chen, .*, eeg\.$"),
        (3, "name=3 is not a data set"),
    ],
)
def test_unknown_names_list_the_known_ones_and_the_closest(name, message):
    with pytest.raises(ValueError, match=message):
        dataset_info(name)
