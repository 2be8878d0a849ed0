"""Records: what comes back, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bicneuron._shared._files import sealed
from reproduction._records import FoldRecord, read_record, record_path, versions, write_record
from reproduction.exceptions import DamagedRecordError, ExperimentError

SETTINGS = {"seed": 0, "folds": 10, "data": "ab", "estimator": "SP()"}
RECORD = FoldRecord(
    protocol="clean",
    dataset="wdbc",
    model="SP",
    fold=3,
    acc=1 / 3,
    acc_minority=None,
    acc_majority=0.1 + 0.2,
    label_auc=None,
    score_auc=None,
    brier=0.125,
    fallback=None,
    row_share=0.5,
    column_share=0.25,
    inner_score=0.7,
    params={"max_ratio": 0.9, "neuron": "OnlinePerceptron()"},
    n_train=9,
    n_test=3,
    warned=["ConvergenceWarning"],
    seconds=0.25,
    settings=SETTINGS,
    versions=versions(),
)
PLACE = record_path("clean", "wdbc", "SP", 3)


def rewrite(path, **changes):
    """Change a record as one would who knows of the checksum."""
    path.write_text(json.dumps(sealed({**json.loads(path.read_text()), **changes})))


def assert_damaged(path):
    with pytest.raises(DamagedRecordError) as caught:
        read_record(path, SETTINGS, FoldRecord)
    assert str(caught.value).startswith(f"{path} is damaged: ")


def refusal(path, settings=SETTINGS):
    with pytest.raises(ExperimentError) as caught:
        read_record(path, settings, FoldRecord)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert "--out" in message
    assert "--force" in message
    return message


@pytest.fixture
def path(tmp_path):
    write_record(tmp_path, RECORD)
    return tmp_path / PLACE


def test_a_record_comes_back_as_it_was(path):
    assert read_record(path, SETTINGS, FoldRecord) == RECORD


def test_a_record_has_its_place(tmp_path, path):
    assert path == tmp_path / "records" / "clean" / "wdbc" / "SP" / "3.json"
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == [path]


def test_a_missing_record_is_no_record(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_record(tmp_path / PLACE, SETTINGS, FoldRecord)


def test_a_half_written_record_is_damaged_wherever_it_was_cut(path):
    whole = path.read_bytes().rstrip()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert_damaged(path)


def test_no_flipped_bit_changes_a_value(path):
    """All bits of the file; what is read in spite of one is equal to what was written."""
    whole = path.read_bytes()
    bits = np.random.default_rng(0).permutation(8 * len(whole))[:1000]
    n_read = 0
    for place, bit in zip(*np.divmod(bits, 8), strict=True):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(bit)
        path.write_bytes(damaged)
        try:
            assert read_record(path, SETTINGS, FoldRecord) == RECORD
            n_read += 1
        except DamagedRecordError:
            pass
    assert n_read < 10  # a digit beyond the precision of a float


def test_a_changed_value_is_noticed(path):
    path.write_text(path.read_text().replace('"seconds": 0.25', '"seconds": 0.26'))
    assert_damaged(path)


def test_a_record_without_its_checksum_is_damaged_but_one_of_an_older_schema_is_refused(path):
    content = json.loads(path.read_text())
    del content["sha256"]
    path.write_text(json.dumps(content))
    assert_damaged(path)
    path.write_text(json.dumps({**content, "schema": 4}))
    assert "was made with schema 4, not 5" in refusal(path)


@pytest.mark.parametrize(
    "content", ["[1, 2]", "3", '{"any": "thing"}', json.dumps(sealed({"schema": 5}))]
)
def test_a_foreign_file_is_refused(path, content):
    path.write_text(content)
    assert "is not a fold record" in refusal(path)


def test_bytes_that_are_no_text_and_deep_nesting_are_damage(path):
    for content in (b"\xff\xfe\x00", b"[" * 10**5):
        path.write_bytes(content)
        assert_damaged(path)


def test_a_record_of_another_schema_is_refused_before_its_fields_are_looked_at(path):
    path.write_text('{"schema": 99, "other": "fields"}')
    assert "was made with schema 99, not 5" in refusal(path)


@pytest.mark.parametrize("library", sorted(versions()))
def test_a_record_of_another_version_is_refused(path, library):
    rewrite(path, versions={**versions(), library: "0.0.0"})
    assert f"was made with {library} 0.0.0, not {versions()[library]}" in refusal(path)


@pytest.mark.parametrize("key", sorted(SETTINGS))
def test_a_record_of_other_settings_is_refused(path, key):
    wanted = {**SETTINGS, key: "another"}
    assert f"was made with {key} {SETTINGS[key]}, not another" in refusal(path, wanted)


def test_long_settings_are_not_shown(path):
    wanted = {**SETTINGS, "estimator": "Model(" + "parameter=1, " * 20 + ")"}
    assert "was made with another estimator;" in refusal(path, wanted)


def test_a_record_in_the_wrong_place_is_refused(tmp_path, path):
    moved = tmp_path / record_path("clean", "wdbc", "SP", 4)
    path.rename(moved)
    assert "holds the fold clean/wdbc/SP/3.json" in refusal(moved)


@pytest.mark.parametrize("acc", [1.5, -0.1, float("nan"), None, "high"])
def test_a_record_with_impossible_measures_is_refused(path, acc):
    rewrite(path, acc=acc)
    assert "measures" in refusal(path)


@pytest.mark.parametrize("score", [float("nan"), float("-inf"), "high"])
def test_a_record_with_an_impossible_inner_score_is_refused(path, score):
    rewrite(path, inner_score=score)
    assert "inner score" in refusal(path)


def test_a_record_of_a_model_without_inner_folds_comes_back(tmp_path, path):
    without = replace(RECORD, inner_score=None)
    write_record(tmp_path, without)
    assert read_record(path, SETTINGS, FoldRecord) == without


def test_a_newer_record_takes_the_place_of_an_older_one(tmp_path, path):
    write_record(tmp_path, replace(RECORD, acc=1.0))
    assert read_record(path, SETTINGS, FoldRecord).acc == 1.0


def test_places_are_relative():
    assert not PLACE.is_absolute()
    assert isinstance(PLACE, Path)
