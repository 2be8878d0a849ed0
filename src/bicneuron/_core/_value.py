"""Immutable values with array fields."""

from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import AnyArray

INTP = np.dtype(np.intp)


class ArrayValue:
    """Base of frozen, slotted dataclasses with read-only index arrays, compared by content."""

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Replace arrays that could be written to by read-only copies."""
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, np.ndarray) and not _is_constant(value):
                value = np.array(value, dtype=np.intp)
                value.setflags(write=False)
                object.__setattr__(self, name, value[:])

    @classmethod
    def of_constants(cls, *values: Any) -> Self:
        """Make a value without checks, from arrays that are read-only already (see `split`)."""
        made = object.__new__(cls)
        for name, value in zip(cls.__slots__, values, strict=True):
            object.__setattr__(made, name, value)
        return made

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
    """True if an array of intp is a contiguous, read-only view of a read-only array."""
    flags = array.flags
    if flags.writeable or not flags.c_contiguous or array.dtype != INTP:
        return False
    owner = array.base  # an array that owns its data could be made writable again
    if not isinstance(owner, np.ndarray):
        return False
    flags = owner.flags
    return flags.owndata and not flags.writeable
