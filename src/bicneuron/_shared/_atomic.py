"""Atomic file writes."""

import errno
import os
import uuid
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
