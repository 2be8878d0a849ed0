"""Every producer of patterns meets every consumer: it works, with the right values, or refuses.

The pairs come from two lists. A new miner or page is covered by one line in `producers` or by one
function in `consumers`.
"""

import traceback
from pathlib import Path

import pytest

from bicneuron.exceptions import ModelFileError
from contract.consumers import CONSUMERS
from contract.producers import PRODUCERS, case

SOURCE = Path("src") / "bicneuron"


# Nothing is fitted before it is used: each worker of pytest collects all tests.
PAIRS = [
    (producer, consumer)
    for producer, (model, _, _) in PRODUCERS.items()
    for consumer in CONSUMERS
    if hasattr(model, CONSUMERS[consumer].method)
]


@pytest.mark.parametrize(("producer", "consumer"), PAIRS)
def test_works_or_is_refused_in_words(producer, consumer, tmp_path):
    given, to = case(producer), CONSUMERS[consumer]
    if to.serves(given) and (given.model.patterns_ or not to.needs_patterns):
        to.use(given, tmp_path)
        return
    with pytest.raises((TypeError, ValueError, ModelFileError)) as refusal:
        to.use(given, tmp_path)
    assert is_in_words(refusal.value), f"{type(refusal.value).__name__}: {refusal.value}"


def is_in_words(error):
    """Raised on purpose, by a line of the package or of scikit-learn's checks of input."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    known = {"bicneuron", "sklearn"} & set(Path(last.filename).parts)
    return bool(known) and (last.line or "").startswith("raise")


@pytest.mark.parametrize("producer", PRODUCERS)
def test_a_producer_has_patterns(producer):
    """Or it would be a case of nothing found."""
    assert bool(case(producer).model.patterns_) == ("nothing found" not in producer)


def test_there_are_many_pairs():
    assert len(PAIRS) >= 600
