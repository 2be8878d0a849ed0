"""A checksum inside a JSON object, by which damage is noticed."""

import json
from hashlib import sha256
from typing import Any

CHECKSUM = "sha256"


def sealed(content: dict[str, Any]) -> dict[str, Any]:
    """Add the checksum of everything else in the object.

    It is that of the JSON text with sorted keys, without spaces, in ASCII: white space and the
    order of keys in a file do not matter, but every value does.

    Examples
    --------
    >>> is_whole(sealed({"a": 1})), is_whole({**sealed({"a": 1}), "a": 2})
    (True, False)
    """
    return {**content, CHECKSUM: _checksum(content)}


def is_whole(content: dict[str, Any]) -> bool:
    """True if an object still has the content that was sealed."""
    return content.get(CHECKSUM) == _checksum(content)


def _checksum(content: dict[str, Any]) -> str:
    rest = {key: value for key, value in content.items() if key != CHECKSUM}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()
