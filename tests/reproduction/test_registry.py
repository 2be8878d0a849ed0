import pickle
import re
from hashlib import sha256

import pytest

from reproduction.datasets import _registry, dataset_info, list_datasets

NAMES = [
    *("chen", "chowdary", "colon", "ionosphere", "lsvt", "parkinsons", "ringnorm"),
    *("singh", "sonar", "spambase", "tipspam", "twonorm", "wdbc", "eeg"),
]
AVAILABLE = [name for name in NAMES if name != "tipspam"]


def test_the_fourteen_sets_in_the_order_of_table_1():
    assert list_datasets() == NAMES
    assert [dataset_info(name).name for name in NAMES] == NAMES


def test_the_list_is_a_copy():
    list_datasets().clear()
    assert list_datasets() == NAMES


@pytest.mark.parametrize("name", AVAILABLE)
def test_class_counts_add_up_and_have_the_printed_percentages(name):
    info = dataset_info(name)
    counts = [count for _, count in info.class_counts]
    assert sum(counts) == info.shape[0] == info.paper_shape[0]
    assert counts == sorted(counts)
    assert [round(100 * count / sum(counts), 1) for count in counts] == list(info.paper_percentages)


def test_shapes_differ_from_the_paper_where_it_leaks_and_for_raw_signals():
    different = {
        name: dataset_info(name).paper_shape
        for name in AVAILABLE
        if dataset_info(name).shape != dataset_info(name).paper_shape
    }
    assert different == {"sonar": (208, 61), "wdbc": (569, 31), "eeg": (500, 40)}
    assert dataset_info("wdbc").paper_file.shape == (569, 31)


@pytest.mark.parametrize("name", NAMES)
def test_leaks_are_named_where_they_are(name):
    info = dataset_info(name)
    assert (info.paper_leak is not None) == (name in ("sonar", "wdbc"))
    assert (info.paper_leak is not None) == (info.paper_row_index or info.paper_file is not None)


def test_tipspam_stays_in_the_table_without_a_file():
    info = dataset_info("tipspam")
    assert info.file is None
    assert "not available" in info.unavailable
    assert info.file is None
    assert info.shape is None
    assert info.paper_shape == (2762, 23)
    assert all(dataset_info(name).file for name in AVAILABLE)


def test_openml_ids():
    ids = {name: dataset_info(name).openml_id for name in NAMES if dataset_info(name).openml_id}
    assert ids == {
        "ionosphere": 59,
        "sonar": 40,
        "spambase": 44,
        "parkinsons": 1488,
        "lsvt": 1484,
        "ringnorm": 1496,
        "twonorm": 1507,
    }


@pytest.mark.parametrize("name", [name for name in NAMES if dataset_info(name).openml_id])
def test_class_sizes_tell_the_labels_of_openml_apart(name):
    counts = [count for _, count in dataset_info(name).class_counts]
    assert len(set(counts)) == len(counts)


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


def test_subjects_are_known_for_two_sets_only():
    assert [name for name in NAMES if dataset_info(name).subjects] == ["lsvt", "parkinsons"]


@pytest.mark.real_data
@pytest.mark.parametrize("name", AVAILABLE)
def test_checksums_are_those_of_the_readme(name, real_folder):
    readme = (real_folder / "README.md").read_text()
    info = dataset_info(name)
    for file in (info.file, info.paper_file):
        assert file is None or f"`{file.sha256}` {file.name}" in readme


@pytest.mark.parametrize("name", NAMES)
def test_entries_travel_between_processes(name):
    info = dataset_info(name)
    assert pickle.loads(pickle.dumps(info)) == info
    assert hash(info) == hash(pickle.loads(pickle.dumps(info)))


def test_unknown_names_list_the_known_ones_and_the_closest():
    with pytest.raises(
        ValueError, match=r"name='sonnar' is not a data set. Did you mean 'sonar'\?"
    ):
        dataset_info("sonnar")
    with pytest.raises(ValueError, match=r"name='\?' is not a data set. Known: chen, .*, eeg\.$"):
        dataset_info("?")
    with pytest.raises(ValueError, match="name=3 is not a data set"):
        dataset_info(3)


# --- the file


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_of_the_file_has_values_of_the_declared_types(name):
    info = dataset_info(name)
    texts = (info.name, info.title, info.source, info.found_at, info.licence)
    assert all(isinstance(text, str) and text == text.strip() != "" for text in texts)
    assert all(isinstance(size, int) for size in info.paper_shape)
    assert all(isinstance(share, float) for share in info.paper_percentages)
    assert all(isinstance(label, str) and isinstance(n, int) for label, n in info.class_counts)
    assert (info.file is None) == (info.unavailable is not None)
    for file in (info.file, info.paper_file):
        if file is not None:
            assert file.name.startswith(name)
            assert [*map(type, file.shape)] == [int, int]
            assert all(
                re.fullmatch("[0-9a-f]{64}", digest)
                for digest in (file.sha256, file.content, file.row_set)
            )


def test_an_unknown_field_is_refused():
    with pytest.raises(TypeError, match="licences"):
        _registry._info({"name": "new", "licences": "CC0"})


def test_three_sets_need_no_file():
    stand_ins = {name: dataset_info(name).stand_in for name in NAMES}
    assert {name: source for name, source in stand_ins.items() if source} == {
        "ringnorm": "generated",
        "twonorm": "generated",
        "wdbc": "scikit-learn",
    }


def test_the_location_is_the_file_or_says_how_to_get_it(tmp_path):
    assert dataset_info("wdbc").location(tmp_path) == "scikit-learn"
    assert dataset_info("tipspam").location(tmp_path) == dataset_info("tipspam").unavailable
    assert "fetch_dataset('sonar')" in dataset_info("sonar").location(tmp_path)
    assert str(tmp_path / "chen.csv.gz") in dataset_info("chen").location(tmp_path)
    (tmp_path / "chen.csv.gz").touch()
    assert dataset_info("chen").location(tmp_path) == str(tmp_path / "chen.csv.gz")
