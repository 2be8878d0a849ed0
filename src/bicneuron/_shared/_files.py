"""Files that are written whole or not at all, and checksums by which damage is noticed."""

import errno
import json
import os
import uuid
from hashlib import sha256
from pathlib import Path
from typing import Any

# Errors of file systems without hard links.
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
CHECKSUM = "sha256"


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
        temporary.unlink()
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise type(error)(error.errno, error.strerror, str(path)) from None
        # The name is taken by an empty file. If the process is killed before the next line, it is
        # left behind; that is seen, and can be replaced.
        path.open("xb").close()
        os.replace(temporary, path)


def sealed(content: dict[str, Any]) -> dict[str, Any]:
    """Add the checksum of everything else in the object, as JSON text with sorted keys."""
    return {**content, CHECKSUM: _checksum(content)}


def is_whole(content: dict[str, Any]) -> bool:
    """True if an object still has the content that was sealed."""
    return content.get(CHECKSUM) == _checksum(content)


def _checksum(content: dict[str, Any]) -> str:
    rest = {key: value for key, value in content.items() if key != CHECKSUM}
    return sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
