"""Outcomes of a case: a right answer, a documented refusal, or a fault."""

import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

import bicneuron
from bicneuron import exceptions

# Folder of the package, with a separator at its end. A clone may have the same name.
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(bicneuron.__file__)), "")
OK, REFUSED, BAD = "ok", "refused", "BAD"
# A case draws its input, may write it to a folder, and raises if the answer to it is wrong.
Case = Callable[[np.random.Generator, Path], None]
_DOCUMENTED = [getattr(exceptions, name) for name in exceptions.__all__ if name.endswith("Warning")]
_OF_SKLEARN = "The number of unique classes"  # about the labels that were given


class Outcome(NamedTuple):
    """Outcome of a case, with its message."""

    kind: str
    said: str = ""


class RefusedError(Exception):
    """The input was refused as it is documented."""


class WrongAnswerError(Exception):
    """There was an answer, and it cannot be right."""


@contextmanager
def may_refuse(*errors: type[Exception]) -> Iterator[None]:
    """Take errors of these types, with a message, as a refusal."""
    try:
        yield
    except errors as error:
        if not str(error):
            raise
        raise RefusedError(f"{type(error).__name__}: {error}") from error


def expect(holds: object, otherwise: str) -> None:
    """Say that the answer is wrong if a condition does not hold."""
    if not holds:
        raise WrongAnswerError(otherwise)


def judge(case: Case, random: np.random.Generator, folder: Path) -> Outcome:
    """Run a case; warnings that are not documented are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=_OF_SKLEARN)
        for category in _DOCUMENTED:
            warnings.simplefilter("ignore", category)
        try:
            case(random, folder)
        except RefusedError as refusal:
            return Outcome(REFUSED, str(refusal))
        except Exception as error:  # of any kind: that is what is looked for
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
            return Outcome(BAD, f"{type(error).__name__}: {error} ({place})")
    return Outcome(OK)
