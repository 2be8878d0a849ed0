"""Files that are either whole or not there."""

import os
import uuid
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that no reader, and no killed process, ever leaves half of it.

    The content goes to a hidden ``*.part`` file in the same folder, which then takes the name in
    one step. A process that is killed may leave such a part behind; it is never read.

    Parameters
    ----------
    path : path-like
        The file; an older one is replaced.
    content : str or bytes
        The whole content; text is written as UTF-8, line ends as they are.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with open(part, "xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
