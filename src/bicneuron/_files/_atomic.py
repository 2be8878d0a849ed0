"""Atomic file writes."""

import os
import uuid
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that readers see either the old or the whole new content.

    The content is written to a hidden ``*.part`` file in the same folder, which is then renamed. A
    killed process may leave such a file behind; it is never read.

    Parameters
    ----------
    path : path-like
        The file; an older one is replaced.
    content : str or bytes
        The whole content; text is written as UTF-8, line ends as they are.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
