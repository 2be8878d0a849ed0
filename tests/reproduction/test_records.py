"""Records: what comes back, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from fold_records import make_fold

from bicneuron._shared._files import sealed
from reproduction._records import FoldRecord, read_record, record_path, versions, write_record
from reproduction.exceptions import DamagedRecordError, ExperimentError

SETTINGS = {"seed": 0, "folds": 10, "data": "ab", "estimator": "SP()"}
RECORD = make_fold(
    *("clean", "wdbc", "SP", 3, 1 / 3, None),
    acc_minority=None,
    acc_majority=0.1 + 0.2,
    score_auc=None,
    brier=0.125,
    fallback=None,
    row_share=0.5,
    column_share=0.25,
    inner_score=0.7,
    params={"max_ratio": 0.9, "neuron": "OnlinePerceptron()"},
    warned=["ConvergenceWarning"],
    seconds=0.25,
    settings=SETTINGS,
    versions=versions(),
)
PLACE = record_path("clean", "wdbc", "SP", 3)
NAN = float("nan")


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


def test_a_record_comes_back_as_it_was_or_as_the_newest_one(tmp_path, path):
    assert path == tmp_path / "records" / "clean" / "wdbc" / "SP" / "3.json"
    assert not PLACE.is_absolute()
    for record in (RECORD, replace(RECORD, inner_score=None), replace(RECORD, acc=1.0)):
        write_record(tmp_path, record)
        assert read_record(path, SETTINGS, FoldRecord) == record
        assert [found for found in tmp_path.rglob("*") if found.is_file()] == [path]
    path.unlink()
    with pytest.raises(FileNotFoundError):
        read_record(path, SETTINGS, FoldRecord)


def test_a_half_written_record_is_damaged_wherever_it_was_cut(path):
    whole = path.read_bytes().rstrip()
    for length in range(0, len(whole), 61):
        path.write_bytes(whole[:length])
        assert_damaged(path)


def test_no_flipped_bit_changes_a_value(path):
    """All bits of the file; what is read in spite of one is equal to what was written."""
    whole = path.read_bytes()
    bits = np.random.default_rng(0).permutation(8 * len(whole))[:60]
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
    assert n_read < 3  # a digit beyond the precision of a float


def test_a_changed_value_no_checksum_and_nonsense_are_damage(path):
    whole = path.read_text()
    content = json.loads(whole)
    del content["sha256"]
    changed = whole.replace('"seconds": 0.25', '"seconds": 0.26').encode()
    for damaged in (changed, json.dumps(content).encode(), b"\xff\xfe\x00", b"[" * 10**5):
        path.write_bytes(damaged)
        assert_damaged(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[1, 2]", "is not a fold record"),
        ('{"any": "thing"}', "is not a fold record"),
        (json.dumps(sealed({"schema": 5})), "is not a fold record"),
        ('{"schema": 99, "other": "fields"}', "was made with schema 99, not 5"),
    ],
)
def test_a_foreign_file_or_another_schema_is_refused(path, content, words):
    path.write_text(content)
    assert words in refusal(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        *(
            (
                {"versions": {**versions(), library: "0.0.0"}},
                f"was made with {library} 0.0.0, not {own}",
            )
            for library, own in sorted(versions().items())
        ),
        *(({"acc": acc}, "measures") for acc in (1.5, -0.1, NAN, None, "high")),
        *(({"inner_score": score}, "inner score") for score in (NAN, -np.inf, "high")),
    ],
)
def test_a_record_of_another_version_or_of_impossible_values_is_refused(path, changes, words):
    rewrite(path, **changes)
    assert words in refusal(path)


def test_a_record_of_other_settings_is_refused(path):
    for key, own in SETTINGS.items():
        message = refusal(path, {**SETTINGS, key: "another"})
        assert f"was made with {key} {own}, not another" in message
    long = {**SETTINGS, "estimator": "Model(" + "parameter=1, " * 20 + ")"}
    assert "was made with another estimator;" in refusal(path, long)


def test_a_record_in_the_wrong_place_is_refused(tmp_path, path):
    moved = tmp_path / record_path("clean", "wdbc", "SP", 4)
    path.rename(moved)
    assert "holds the fold clean/wdbc/SP/3.json" in refusal(moved)
