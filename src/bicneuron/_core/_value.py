"""Frozen values that hold arrays."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray


class ArrayValue:
    """Base of frozen, slotted dataclasses with index arrays: compared by content, read-only."""

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep read-only copies of arrays that someone could write to."""
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, np.ndarray) and not _is_constant(value):
                value = np.array(value, dtype=np.intp)
                value.setflags(write=False)
                object.__setattr__(self, name, value[:])

    def _content(self) -> tuple[Any, ...]:
        return tuple(v.tobytes() if isinstance(v, np.ndarray) else v for v in self._values())

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()


def _is_constant(array: AnyArray) -> bool:
    """Whether an array of intp can be written to neither directly nor through what it views."""
    if array.dtype != np.intp or array.flags.writeable or not array.flags.c_contiguous:
        return False
    owner = array.base  # who has the array that owns the data can make it writable again
    return isinstance(owner, np.ndarray) and owner.flags.owndata and not owner.flags.writeable
