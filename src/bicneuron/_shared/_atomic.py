"""Atomic file writes."""

import errno
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

# Errors of file systems without hard links.
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


def write_atomically(
    path: str | os.PathLike[str], content: str | bytes, *, overwrite: bool = True
) -> None:
    """Write a file so that readers see either the old or the whole new content."""
    path = Path(os.path.realpath(path))
    if path.is_dir():  # the error of a rename would name the hidden file
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")  # as short, however long the name is
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            os.replace(temporary, path)
        else:
            _put_new(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _put_new(temporary: Path, path: Path) -> None:
    """Rename a file, or raise `FileExistsError` if there is one of the new name."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # The name is taken by an empty file. If the process is killed before the next line, it is
        # left behind; that is seen, and can be replaced.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(temporary, path)
    else:
        temporary.unlink()


def write_folder(
    folder: Path, contents: Mapping[str, str], *, replacing: str, overwrite: bool = True
) -> None:
    """Write several files into a folder after all of them have been written beside it."""
    folder = Path(os.path.realpath(folder))
    temporary = folder.with_name(f".{uuid.uuid4().hex}.part")
    temporary.mkdir()
    try:
        for name, content in contents.items():
            write_atomically(temporary / name, content)
        folder.mkdir(exist_ok=True)
        if not overwrite:
            _put_all_new(temporary, folder, [*contents])
            return
        for old in set(folder.glob(replacing)) - {folder / name for name in contents}:
            old.unlink()
        for name in contents:
            os.replace(temporary / name, folder / name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put_all_new(temporary: Path, folder: Path, names: Sequence[str]) -> None:
    """Move new files into a folder; if one is there already, take the others back."""
    done: list[Path] = []
    try:
        for name in names:
            _put_new(temporary / name, folder / name)
            done.append(folder / name)
    except BaseException:
        for path in done:
            path.unlink(missing_ok=True)
        raise
