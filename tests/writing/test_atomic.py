import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from bicneuron._shared._files import write_atomically


def test_text_and_bytes(tmp_path):
    write_atomically(tmp_path / "a", "é\n")
    assert (tmp_path / "a").read_bytes() == "é\n".encode()
    write_atomically(str(tmp_path / "a"), b"\x00\r\n")
    assert (tmp_path / "a").read_bytes() == b"\x00\r\n"
    assert os.listdir(tmp_path) == ["a"]


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_atomically(path, "old")

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_reader_never_sees_a_part(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_atomically(path, "old")
    seen = []
    replace = os.replace
    monkeypatch.setattr(
        os, "replace", lambda *names: (seen.append(path.read_text()), replace(*names))
    )
    write_atomically(path, "new")
    assert seen == ["old"]
    assert path.read_text() == "new"


def test_the_file_has_usual_rights(tmp_path):
    write_atomically(tmp_path / "a", "x")
    (tmp_path / "b").write_text("x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "b").stat().st_mode
    )


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "a", "x")


def test_the_file_behind_a_link_is_written(tmp_path):
    (tmp_path / "link").symlink_to("file")
    for content in ("new", "newer"):
        write_atomically(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_text() == content
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]


def test_the_longest_name(tmp_path):
    path = tmp_path / ("a" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    write_atomically(path, "text")
    assert path.read_text() == "text"


def test_a_new_file_is_never_put_over_another(tmp_path):
    path = tmp_path / "a"
    write_atomically(path, "first", overwrite=False)
    with pytest.raises(FileExistsError) as error:
        write_atomically(path, "second", overwrite=False)
    assert error.value.filename == str(path)
    assert path.read_text() == "first"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_new_file_where_there_are_no_links(number, tmp_path, monkeypatch):
    def no_links(*_, **__):
        raise OSError(number, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "a"
    write_atomically(path, "first", overwrite=False)
    with pytest.raises(FileExistsError):
        write_atomically(path, "second", overwrite=False)
    assert path.read_text() == "first"
    assert os.listdir(tmp_path) == ["a"]


def test_a_new_file_behind_a_link(tmp_path):
    (tmp_path / "link").symlink_to("file")
    write_atomically(tmp_path / "link", "new", overwrite=False)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_of_many_threads_one_writes_the_file(tmp_path):
    def write(i):
        try:
            write_atomically(tmp_path / "a", str(i) * 1000, overwrite=False)
        except FileExistsError:
            return None
        return str(i) * 1000

    with ThreadPoolExecutor(8) as threads:
        written = [*filter(None, threads.map(write, range(32)))]
    assert [(tmp_path / "a").read_text()] == written
    assert os.listdir(tmp_path) == ["a"]


def test_what_a_killed_process_left_does_not_block(tmp_path):
    (tmp_path / ".0123.part").write_text("half")
    write_atomically(tmp_path / "a", "whole", overwrite=False)
    assert (tmp_path / "a").read_text() == "whole"
