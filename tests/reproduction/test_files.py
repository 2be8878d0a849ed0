"""Loading: which file is read, and what happens if it is not the registered one.

wdbc, which scikit-learn has, stands for all sets where the registered files are not at hand.
"""

import csv
import gzip
import shutil
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bicneuron.datasets import make_ringnorm, make_twonorm
from reproduction.datasets import dataset_info, get_data_home, list_datasets, load_dataset
from reproduction.exceptions import DatasetCorruptError, DatasetNotFoundError, DatasetOrderWarning

FILES = [name for name in list_datasets() if dataset_info(name).file]
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
    monkeypatch, no_data, tmp_path
):
    assert get_data_home() == no_data
    monkeypatch.setenv("BICNEURON_DATA", str(tmp_path / "variable"))
    assert get_data_home() == tmp_path / "variable"
    assert get_data_home(str(tmp_path / "named")) == tmp_path / "named"
    monkeypatch.setenv("BICNEURON_DATA", "")
    assert get_data_home() == no_data


def test_the_home_directory_is_the_last_resort(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("BICNEURON_DATA", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert get_data_home() == tmp_path / ".cache" / "bicneuron"
    assert get_data_home("~/data") == tmp_path / "data"


def test_files_are_found_in_each_place(monkeypatch, no_data, wdbc_file):
    assert load_dataset("wdbc").source == "scikit-learn"
    assert load_dataset("wdbc", data_home=wdbc_file.parent).source == "file"
    monkeypatch.setenv("BICNEURON_DATA", str(wdbc_file.parent))
    assert load_dataset("wdbc").source == "file"
    assert load_dataset("wdbc", data_home=no_data).source == "scikit-learn"
    monkeypatch.delenv("BICNEURON_DATA")
    no_data.parent.mkdir()
    wdbc_file.parent.rename(no_data)
    assert load_dataset("wdbc").source == "file"


def test_nothing_is_created_by_looking(no_data):
    load_dataset("wdbc")
    assert not no_data.exists()


# --- what a file gives


@pytest.mark.real_data
@pytest.mark.parametrize("name", FILES)
def test_registered_files(name, real_folder):
    bunch = load_dataset(name, data_home=real_folder)
    info = dataset_info(name)
    assert bunch.info is info
    assert (bunch.name, bunch.source) == (name, "file")
    assert bunch.data.shape == info.shape
    assert bunch.data.dtype == np.float64
    assert bunch.target.shape == info.shape[:1]
    assert bunch.target.dtype.kind == "U"
    labels, counts = np.unique(bunch.target, return_counts=True)
    assert dict(zip(labels, counts, strict=True)) == dict(info.class_counts)
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == info.shape[1]
    assert np.isfinite(bunch.data).all()
    assert f"published: {info.source}" in bunch.DESCR
    assert "source: file" in bunch.DESCR
    X, y = load_dataset(name, data_home=real_folder, return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)


@pytest.mark.real_data
@pytest.mark.parametrize("name", [name for name in FILES if name != "eeg"])
def test_values_are_those_of_the_text(name, real_folder):
    bunch = load_dataset(name, data_home=real_folder)
    with gzip.open(real_folder / f"{name}.csv.gz", "rt", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert bunch.feature_names == header[:-1]
    assert bunch.data.tolist() == [[float(cell) for cell in row[:-1]] for row in rows]
    assert bunch.target.tolist() == [row[-1] for row in rows]


@pytest.mark.real_data
def test_eeg_is_raw_signals(real_folder):
    bunch = load_dataset("eeg", data_home=real_folder)
    with np.load(real_folder / "eeg_raw.npz") as arrays:
        np.testing.assert_array_equal(bunch.data, arrays["signals"])
        np.testing.assert_array_equal(bunch.target, arrays["labels"])
    assert bunch.target.tolist() == [letter for letter in "ABCDE" for _ in range(100)]
    assert bunch.groups is None


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["parkinsons", "lsvt"])
def test_groups_are_the_subject_files(name, real_folder):
    lines = (real_folder / f"{name}_subjects.csv").read_text().split()
    assert load_dataset(name, data_home=real_folder).groups.tolist() == lines[1:]


@pytest.mark.real_data
@pytest.mark.parametrize("name", FILES)
def test_a_copy_with_other_bytes_is_the_same_data(name, real_folder, tmp_path):
    bunch = load_dataset(name, data_home=real_folder)
    path = tmp_path / bunch.info.file.name
    if name == "eeg":
        np.savez(path, signals=bunch.data, labels=bunch.target)
    else:
        write_csv(path, bunch.data, bunch.target, digits=15)
    copy = load_dataset(name, data_home=tmp_path)
    np.testing.assert_allclose(copy.data, bunch.data, rtol=1e-14)
    np.testing.assert_array_equal(copy.target, bunch.target)
    assert (copy.groups is None) == (bunch.groups is None)


# --- the paper's variant


@pytest.mark.real_data
def test_the_papers_sonar_has_the_row_index(real_folder):
    clean = load_dataset("sonar", data_home=real_folder)
    paper = load_dataset("sonar", data_home=real_folder, variant="paper")
    np.testing.assert_array_equal(paper.data[:, :60], clean.data)
    assert paper.data[:, 60].tolist() == list(range(208))
    assert paper.feature_names == [*clean.feature_names, "row_index"]
    assert "leak: feature 61 is the row index" in paper.DESCR
    assert "leak" not in clean.DESCR


@pytest.mark.real_data
def test_the_papers_wdbc_has_the_patient(real_folder):
    clean = load_dataset("wdbc", data_home=real_folder)
    paper = load_dataset("wdbc", data_home=real_folder, variant="paper")
    assert paper.data.shape == (569, 31)
    assert paper.data[0, 0] == 842302
    assert paper.feature_names == ["patient_id", *clean.feature_names]
    np.testing.assert_array_equal(paper.data[:, 1:], clean.data)
    np.testing.assert_array_equal(paper.target, clean.target)
    assert "leak: feature 1 is the number of the patient" in paper.DESCR


@pytest.mark.real_data
@pytest.mark.parametrize("name", [name for name in FILES if name not in ("sonar", "wdbc")])
def test_the_other_sets_are_the_same_in_the_paper(name, real_folder):
    clean, paper = (
        load_dataset(name, data_home=real_folder, variant=variant, return_X_y=True)
        for variant in ("clean", "paper")
    )
    np.testing.assert_array_equal(paper[0], clean[0])
    np.testing.assert_array_equal(paper[1], clean[1])


@pytest.mark.parametrize("name", ["twonorm", "ringnorm", "wdbc"])
def test_nothing_stands_in_for_the_papers_rows(name, no_data):
    with pytest.raises(DatasetNotFoundError, match="variant='paper'") as raised:
        load_dataset(name, variant="paper")
    assert str(no_data) in one_line(raised)


def test_unknown_variants():
    with pytest.raises(ValueError, match='variant must be "clean" or "paper", got \'raw\''):
        load_dataset("wdbc", variant="raw")


# --- without a file


def test_wdbc_comes_from_scikit_learn(no_data):
    bunch = load_dataset("wdbc")
    np.testing.assert_array_equal(bunch.data, WDBC.data)
    assert (bunch.target == "M").tolist() == (WDBC.target == 0).tolist()
    assert WDBC.target_names[0] == "malignant"
    assert bunch.groups is None
    assert "source: scikit-learn" in bunch.DESCR


@pytest.mark.real_data
def test_wdbc_is_the_same_from_scikit_learn_and_from_the_file(real_folder, tmp_path):
    library, file = (
        load_dataset("wdbc", data_home=tmp_path),
        load_dataset("wdbc", data_home=real_folder),
    )
    assert (library.source, file.source) == ("scikit-learn", "file")
    np.testing.assert_array_equal(library.data, file.data)
    np.testing.assert_array_equal(library.target, file.target)
    assert library.feature_names == file.feature_names


@pytest.mark.parametrize(("name", "make"), [("twonorm", make_twonorm), ("ringnorm", make_ringnorm)])
def test_breimans_problems_are_generated_and_say_so(name, make, no_data):
    bunch, again = load_dataset(name), load_dataset(name)
    X, y = make(random_state=0)
    np.testing.assert_array_equal(bunch.data, X)
    np.testing.assert_array_equal(again.data, X)
    assert bunch.target.tolist() == [str(label) for label in y]
    assert bunch.source == "generated"
    assert "source: generated" in bunch.DESCR
    assert "another sample" in bunch.DESCR


@pytest.mark.parametrize("name", [n for n in FILES if n not in ("twonorm", "ringnorm", "wdbc")])
def test_missing_files_tell_the_way_out(name, no_data):
    info = dataset_info(name)
    with pytest.raises(DatasetNotFoundError) as raised:
        load_dataset(name)
    message = one_line(raised)
    assert isinstance(raised.value, FileNotFoundError)
    assert str(no_data / info.file.name) in message
    assert (f"fetch_dataset({name!r})" in message) == (info.openml_id is not None)
    assert (info.found_at in message) == (info.openml_id is None)


def test_tipspam_cannot_be_had(tmp_path):
    shutil.copy(write_csv(tmp_path / "a.csv.gz", np.eye(3), "aab"), tmp_path / "tipspam.csv.gz")
    with pytest.raises(DatasetNotFoundError, match="is another data set") as raised:
        load_dataset("tipspam", data_home=tmp_path)
    one_line(raised)


def test_unknown_names():
    with pytest.raises(ValueError, match=r"Did you mean 'twonorm'\?"):
        load_dataset("twonrom")


# --- files that are not the registered ones


def corrupt(path, name="wdbc", variant="clean"):
    """What loading says of a bad file."""
    with pytest.raises(DatasetCorruptError) as raised:
        load_dataset(name, data_home=path.parent, variant=variant)
    message = one_line(raised)
    assert str(path) in message
    return message


def test_truncated(wdbc_file):
    raw = wdbc_file.read_bytes()
    for kept in (0, 5, len(raw) // 2, len(raw) - 1):
        wdbc_file.write_bytes(raw[:kept])
        corrupt(wdbc_file)


@pytest.mark.parametrize("where", [0, 0.3, 0.6, -6])
def test_one_altered_byte(wdbc_file, where):
    raw = bytearray(wdbc_file.read_bytes())
    raw[int(where * len(raw)) if 0 < where < 1 else where] ^= 0x40
    wdbc_file.write_bytes(raw)
    corrupt(wdbc_file)


def test_one_altered_value(wdbc_file):
    data = WDBC.data.copy()
    data[17, 3] += 1e-4
    write_csv(wdbc_file, data, WDBC_LABELS)
    assert "its values or labels differ" in corrupt(wdbc_file)
    data[17, 3] = np.nan
    write_csv(wdbc_file, data, WDBC_LABELS)
    assert "its values or labels differ" in corrupt(wdbc_file)


def test_one_altered_label(wdbc_file):
    labels = WDBC_LABELS.copy()
    labels[0] = "B"
    write_csv(wdbc_file, WDBC.data, labels)
    assert "its values or labels differ" in corrupt(wdbc_file)


@pytest.mark.parametrize("cut", [np.s_[:568], np.s_[:, :29], np.s_[:1, :1]])
def test_wrong_shapes(wdbc_file, cut):
    data = WDBC.data[cut]
    write_csv(wdbc_file, data, WDBC_LABELS[: len(data)])
    shape = "{} x {}".format(*data.shape)
    assert f"it has {shape} values instead of 569 x 30" in corrupt(wdbc_file)


def test_ragged_and_wordy_tables(wdbc_file):
    for text, said in [
        ("a,b,class\n1,2,x\n1,x\n", "columns changed"),
        ("a,class\n1,2,x\n", "1 feature names and 2 features"),
        ("a,class\none,x\n", "one"),
        ("a,class\n", "no values"),
        ("a,class\nx\ny\n", "no values"),
        ("", "no values"),
    ]:
        wdbc_file.write_bytes(gzip.compress(text.encode()))
        assert said in corrupt(wdbc_file)


def test_not_even_text(wdbc_file):
    wdbc_file.write_bytes(gzip.compress(b"\xff\xfe\n\xff,1"))
    corrupt(wdbc_file)


def test_the_wrong_set_under_the_right_name(wdbc_file):
    write_csv(wdbc_file.parent / "wdbc31.csv.gz", WDBC.data, WDBC_LABELS)
    message = corrupt(wdbc_file.parent / "wdbc31.csv.gz", variant="paper")
    assert "569 x 30 values instead of 569 x 31" in message


@pytest.mark.parametrize("content", ["text", "truncated", "keys", "shape", "length", "flat"])
def test_bad_signal_files(content, tmp_path):
    path = tmp_path / "eeg_raw.npz"
    signals, labels = np.zeros((500, 4097), dtype=np.int16), np.repeat(list("ABCDE"), 100)
    arrays = {
        "keys": {"signals": signals},
        "shape": {"signals": signals[:, :4096], "labels": labels},
        "length": {"signals": signals, "labels": labels[:99]},
        "flat": {"signals": signals[0], "labels": labels},
    }
    np.savez_compressed(path, **arrays.get(content, {"signals": signals, "labels": labels}))
    if content == "text":
        path.write_text("not an archive")
    if content == "truncated":
        path.write_bytes(path.read_bytes()[:-30])
    corrupt(path, "eeg")


@pytest.mark.real_data
@pytest.mark.parametrize("name", FILES)
def test_registered_files_truncated_or_altered(name, real_folder, tmp_path):
    source = real_folder / dataset_info(name).file.name
    raw = bytearray(source.read_bytes())
    path = tmp_path / source.name
    path.write_bytes(raw[: len(raw) // 2])
    corrupt(path, name)
    raw[len(raw) // 3] ^= 1
    path.write_bytes(raw)
    message = corrupt(path, name)
    assert ("fetch_dataset" in message) == (dataset_info(name).openml_id is not None)


def test_a_folder_of_that_name_is_no_file(tmp_path, no_data):
    (tmp_path / "sonar.csv.gz").mkdir()
    with pytest.raises(DatasetNotFoundError):
        load_dataset("sonar", data_home=tmp_path)


# --- another order


def test_another_order_is_said_aloud(wdbc_file):
    order = np.random.default_rng(0).permutation(len(WDBC.data))
    write_csv(wdbc_file, WDBC.data[order], WDBC_LABELS[order])
    with pytest.warns(DatasetOrderWarning, match="another order") as caught:
        bunch = load_dataset("wdbc", data_home=wdbc_file.parent)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(bunch.data, WDBC.data[order])
    np.testing.assert_array_equal(bunch.target, WDBC_LABELS[order])


def test_labels_in_another_order_are_other_data(wdbc_file):
    write_csv(wdbc_file, WDBC.data, WDBC_LABELS[::-1])
    assert "its values or labels differ" in corrupt(wdbc_file)


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


def test_signs_of_zero_do_not_matter(tmp_path, wdbc_file):
    data = np.where(WDBC.data == 0, -0.0, WDBC.data)
    assert np.signbit(data).any()
    write_csv(wdbc_file, data, WDBC_LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_dataset("wdbc", data_home=wdbc_file.parent).source == "file"
