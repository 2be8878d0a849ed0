"""Files are written whole or not at all, and nothing else is left in their folder."""

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from bicneuron._shared._files import write_atomically


@pytest.fixture
def path(tmp_path):
    yield tmp_path / "a"
    assert {*os.listdir(tmp_path)} <= {"a"}


def refuse(monkeypatch, name, number):
    def fail(*_, **__):
        raise OSError(number, "not here")

    monkeypatch.setattr(os, name, fail)


def test_a_failed_write_keeps_the_old_file(path, monkeypatch):
    path.write_text("old")
    refuse(monkeypatch, "fsync", errno.ENOSPC)
    with pytest.raises(OSError, match="not here"):
        write_atomically(path, "new")
    assert path.read_text() == "old"


def test_a_reader_never_sees_a_part(path, monkeypatch):
    path.write_text("old")
    seen, replace = [], os.replace
    monkeypatch.setattr(
        os, "replace", lambda *names: (seen.append(path.read_text()), replace(*names))
    )
    write_atomically(path, "new")
    assert [*seen, path.read_text()] == ["old", "new"]


def test_the_file_has_usual_rights(tmp_path):
    write_atomically(tmp_path / "a", "x")
    (tmp_path / "b").write_text("x")
    ours, usual = (stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "ab")
    assert ours == usual


def test_a_folder_that_is_missing_or_stands_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "a", "x")
    with pytest.raises(IsADirectoryError) as error:
        write_atomically(tmp_path, "x")
    assert error.value.filename == str(tmp_path)


@pytest.mark.parametrize("overwrite", [True, False])
def test_the_file_behind_a_link_is_written(overwrite, tmp_path):
    (tmp_path / "link").symlink_to("file")
    for content in ("new", "newer")[: 1 + overwrite]:
        write_atomically(tmp_path / "link", content, overwrite=overwrite)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_text() == content
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]


def test_the_longest_name(tmp_path):
    path = tmp_path / ("a" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    write_atomically(path, "text")
    assert path.read_text() == "text"


@pytest.mark.parametrize("number", [None, errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_new_file_is_never_put_over_another(number, path, monkeypatch):
    """Also where the file system has no links."""
    if number is not None:
        refuse(monkeypatch, "link", number)
    write_atomically(path, "first", overwrite=False)
    with pytest.raises(FileExistsError) as error:
        write_atomically(path, "second", overwrite=False)
    assert error.value.filename == str(path)
    assert path.read_text() == "first"


def test_of_many_threads_one_writes_the_file(path):
    def write(i):
        try:
            write_atomically(path, str(i) * 1000, overwrite=False)
        except FileExistsError:
            return None
        return str(i) * 1000

    with ThreadPoolExecutor(8) as threads:
        written = [*filter(None, threads.map(write, range(32)))]
    assert [path.read_text()] == written
