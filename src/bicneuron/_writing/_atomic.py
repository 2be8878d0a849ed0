"""Atomic file writes."""

import errno
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that readers see either the old or the whole new content.

    The content is written to a hidden ``*.part`` file in the same folder, which is then renamed. A
    killed process may leave such a file behind; it is never read. Of a symbolic link, the file that
    it leads to is written.

    Parameters
    ----------
    path : path-like
        The file; an older one is replaced.
    content : str or bytes
        The whole content; text is written as UTF-8, line ends as they are.
    """
    path = Path(os.path.realpath(path))
    if path.is_dir():  # the error of a rename would name the hidden file
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")  # as short, however long the name is
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_folder(folder: Path, contents: Mapping[str, str], *, replacing: str) -> None:
    """Write several files into a folder after all of them have been written beside it.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.
    contents : mapping of str to str
        Names of the files to their text.
    replacing : str
        Pattern of older files in the folder that are removed if they are not written anew.
    """
    folder = Path(os.path.realpath(folder))
    temporary = folder.with_name(f".{uuid.uuid4().hex}.part")
    temporary.mkdir()
    try:
        for name, content in contents.items():
            write_atomically(temporary / name, content)
        folder.mkdir(exist_ok=True)
        for old in set(folder.glob(replacing)) - {folder / name for name in contents}:
            old.unlink()
        for name in contents:
            os.replace(temporary / name, folder / name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
