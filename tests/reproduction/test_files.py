"""Loading: which file is read, and what happens if it is not the registered one.

wdbc, which scikit-learn has, stands for all sets where the registered files are not at hand.
"""

import csv
import gzip

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bicneuron.datasets import make_ringnorm, make_twonorm
from reproduction.datasets import dataset_info, get_data_home, list_datasets, load_dataset
from reproduction.exceptions import DatasetCorruptError, DatasetNotFoundError, DatasetOrderWarning

FILES = [name for name in list_datasets() if dataset_info(name).file]
SETS = [pytest.param(n, marks=() if n in ("colon", "sonar") else pytest.mark.slow) for n in FILES]
WDBC = load_breast_cancer()
WDBC_LABELS = np.array(["M", "B"])[WDBC.target]


def write_csv(path, data, labels, names=None, digits=None):
    """Not the library's writer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*(names or [f"f{j}" for j in range(data.shape[1])]), "class"])
        for row, label in zip(data.tolist(), labels, strict=True):
            writer.writerow([*(f"{v:.{digits}g}" if digits else v for v in row), label])
    return path


@pytest.fixture
def wdbc_file(tmp_path):
    return write_csv(tmp_path / "home" / "wdbc.csv.gz", WDBC.data, WDBC_LABELS)


def one_line(raised):
    """The message of an error; it has to fit in one line."""
    assert "\n" not in str(raised.value)
    return str(raised.value)


# --- where


def test_data_home_comes_before_the_variable_and_this_before_the_cache(
    monkeypatch, no_data, wdbc_file, tmp_path
):
    assert get_data_home() == no_data
    assert load_dataset("wdbc").source == "scikit-learn"
    assert not no_data.exists(), "nothing is created by looking"
    home = wdbc_file.parent
    assert load_dataset("wdbc", data_home=home).source == "file"
    monkeypatch.setenv("BICNEURON_DATA", str(home))
    assert (get_data_home(), load_dataset("wdbc").source) == (home, "file")
    assert get_data_home(str(tmp_path / "named")) == tmp_path / "named"
    assert load_dataset("wdbc", data_home=no_data).source == "scikit-learn"
    monkeypatch.setenv("BICNEURON_DATA", "")
    no_data.parent.mkdir()
    home.rename(no_data)
    assert (get_data_home(), load_dataset("wdbc").source) == (no_data, "file")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert get_data_home() == tmp_path / ".cache" / "bicneuron"
    assert get_data_home("~/data") == tmp_path / "data"


# --- what a file gives


@pytest.mark.real_data
@pytest.mark.parametrize("name", SETS)
def test_registered_files(name, real_folder, tmp_path):
    bunch = load_dataset(name, data_home=real_folder)
    info = dataset_info(name)
    assert (bunch.name, bunch.source, bunch.info) == (name, "file", info)
    assert (bunch.data.shape, bunch.data.dtype) == (info.shape, np.float64)
    labels, counts = np.unique(bunch.target, return_counts=True)
    assert dict(zip(labels, counts, strict=True)) == dict(info.class_counts)
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == info.shape[1]
    assert f"published: {info.source}" in bunch.DESCR
    assert "source: file" in bunch.DESCR
    # A copy with other bytes is the same data.
    path = tmp_path / info.file.name
    if name == "eeg":
        with np.load(real_folder / "eeg_raw.npz") as arrays:
            np.testing.assert_array_equal(bunch.data, arrays["signals"])
        assert bunch.target.tolist() == [letter for letter in "ABCDE" for _ in range(100)]
        np.savez(path, signals=bunch.data, labels=bunch.target)
    else:
        with gzip.open(real_folder / f"{name}.csv.gz", "rt", newline="") as stream:
            header, *rows = csv.reader(stream)
        assert bunch.feature_names == header[:-1]
        assert bunch.data.tolist() == [[float(cell) for cell in row[:-1]] for row in rows]
        assert bunch.target.tolist() == [row[-1] for row in rows]
        write_csv(path, bunch.data, bunch.target, digits=15)
    copy = load_dataset(name, data_home=tmp_path)
    np.testing.assert_allclose(copy.data, bunch.data, rtol=1e-14)
    np.testing.assert_array_equal(copy.target, bunch.target)
    assert (copy.groups is None) == (bunch.groups is None)


# --- the paper's variant


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "place", "first", "column", "leak"),
    [
        ("sonar", 60, [*range(208)], "row_index", "leak: feature 61 is the row index"),
        ("wdbc", 0, [842302, 842517], "patient_id", "leak: feature 1 is the number of the patient"),
    ],
)
def test_the_papers_variant_has_a_leaking_column(name, place, first, column, leak, real_folder):
    clean = load_dataset(name, data_home=real_folder)
    paper = load_dataset(name, data_home=real_folder, variant="paper")
    np.testing.assert_array_equal(np.delete(paper.data, place, axis=1), clean.data)
    np.testing.assert_array_equal(paper.target, clean.target)
    assert paper.data[: len(first), place].tolist() == first
    assert paper.feature_names[place] == column
    assert (leak in paper.DESCR, "leak" in clean.DESCR) == (True, False)


def test_nothing_stands_in_for_the_papers_rows(no_data):
    for name in ("twonorm", "ringnorm", "wdbc"):
        with pytest.raises(DatasetNotFoundError, match="variant='paper'") as raised:
            load_dataset(name, variant="paper")
        assert str(no_data) in one_line(raised)
    with pytest.raises(ValueError, match='variant must be "clean" or "paper", got \'raw\''):
        load_dataset("wdbc", variant="raw")


# --- without a file


@pytest.mark.parametrize(("name", "make"), [("twonorm", make_twonorm), ("ringnorm", make_ringnorm)])
def test_breimans_problems_are_generated_and_say_so(name, make, no_data):
    bunch = load_dataset(name)
    X, y = make(random_state=0)
    np.testing.assert_array_equal(bunch.data, X)
    assert bunch.target.tolist() == [str(label) for label in y]
    assert bunch.source == "generated"
    assert "another sample" in bunch.DESCR


def test_missing_files_tell_the_way_out(no_data):
    for name in {*FILES} - {"twonorm", "ringnorm", "wdbc"}:
        info = dataset_info(name)
        with pytest.raises(DatasetNotFoundError) as raised:
            load_dataset(name)
        message = one_line(raised)
        assert isinstance(raised.value, FileNotFoundError)
        assert str(no_data / info.file.name) in message
        assert (f"fetch_dataset({name!r})" in message) == (info.openml_id is not None)
        assert (info.found_at in message) == (info.openml_id is None)


# --- files that are not the registered ones


def corrupt(path, name="wdbc", variant="clean"):
    """What loading says of a bad file."""
    with pytest.raises(DatasetCorruptError) as raised:
        load_dataset(name, data_home=path.parent, variant=variant)
    message = one_line(raised)
    assert str(path) in message
    return message


def test_truncated_or_with_one_altered_byte(wdbc_file):
    raw = wdbc_file.read_bytes()
    for kept in (0, 5, len(raw) // 2, len(raw) - 1):
        wdbc_file.write_bytes(raw[:kept])
        corrupt(wdbc_file)
    for place in (0, 3 * len(raw) // 10, 6 * len(raw) // 10, len(raw) - 6):
        altered = bytearray(raw)
        altered[place] ^= 0x40
        wdbc_file.write_bytes(altered)
        corrupt(wdbc_file)


ALTERED = {
    "a value": (np.s_[:], np.s_[:], 1e-4, None),
    "a gap": (np.s_[:], np.s_[:], np.nan, None),
    "a label": (np.s_[:], np.s_[:], 0.0, "B"),
    "labels in another order": (np.s_[:], np.s_[::-1], 0.0, None),
    "a row less": (np.s_[:568], np.s_[:568], 0.0, None),
    "a column less": (np.s_[:, :29], np.s_[:], 0.0, None),
    "one cell": (np.s_[:1, :1], np.s_[:1], 0.0, None),
}


@pytest.mark.parametrize("how", ALTERED)
def test_an_altered_table(wdbc_file, how):
    cells, rows, added, label = ALTERED[how]
    data, labels = WDBC.data[cells].copy(), WDBC_LABELS[rows].copy()
    if added:
        data[17, 3] += added
    labels[0] = label or labels[0]
    write_csv(wdbc_file, data, labels)
    said = "its values or labels differ"
    if data.shape != WDBC.data.shape:
        said = "it has {} x {} values instead of 569 x 30".format(*data.shape)
    assert said in corrupt(wdbc_file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,class\n1,2,x\n1,x\n", "columns changed"),
        ("a,class\n1,2,x\n", "1 feature names and 2 features"),
        ("a,class\none,x\n", "one"),
        ("a,class\nx\ny\n", "no values"),
        ("", "no values"),
        ("\xff\xfe\n\xff,1", ""),  # not even text
    ],
)
def test_ragged_and_wordy_tables(wdbc_file, text, said):
    wdbc_file.write_bytes(gzip.compress(text.encode("latin-1")))
    assert said in corrupt(wdbc_file)


SIGNALS, LETTERS = np.zeros((500, 4097), dtype=np.int16), np.repeat(list("ABCDE"), 100)


@pytest.mark.parametrize(
    "arrays",
    [
        {"signals": SIGNALS},
        {"signals": SIGNALS[:, :4096], "labels": LETTERS},
        {"signals": SIGNALS, "labels": LETTERS[:99]},
        {"signals": SIGNALS[0], "labels": LETTERS},
    ],
    ids=["keys", "shape", "length", "flat"],
)
def test_bad_signal_files(arrays, tmp_path):
    path = tmp_path / "eeg_raw.npz"
    np.savez_compressed(path, **arrays)
    corrupt(path, "eeg")


# --- another order


def test_another_order_is_said_aloud(wdbc_file):
    order = np.random.default_rng(0).permutation(len(WDBC.data))
    write_csv(wdbc_file, WDBC.data[order], WDBC_LABELS[order])
    with pytest.warns(DatasetOrderWarning, match="another order") as caught:
        bunch = load_dataset("wdbc", data_home=wdbc_file.parent)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(bunch.data, WDBC.data[order])
    np.testing.assert_array_equal(bunch.target, WDBC_LABELS[order])


@pytest.mark.real_data
def test_subjects_are_lost_in_another_order(real_folder, tmp_path):
    X, y = load_dataset("parkinsons", data_home=real_folder, return_X_y=True)
    write_csv(tmp_path / "parkinsons.csv.gz", X[::-1], y[::-1])
    with pytest.warns(DatasetOrderWarning, match="subjects are lost"):
        assert load_dataset("parkinsons", data_home=tmp_path).groups is None


@pytest.mark.real_data
def test_the_paper_depends_on_the_order(real_folder, tmp_path):
    X, y = load_dataset("sonar", data_home=real_folder, return_X_y=True)
    write_csv(tmp_path / "sonar.csv.gz", X[::-1], y[::-1])
    assert "another order" in corrupt(tmp_path / "sonar.csv.gz", "sonar", variant="paper")
