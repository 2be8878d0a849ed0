"""Every producer of patterns meets every consumer: it works, with the right values, or refuses.

The pairs come from two lists. A new miner or page is covered by one line in `producers` or by one
function in `consumers`.
"""

import pytest

from bicneuron import SubgroupBiclustering
from contract.consumers import CONSUMERS, refused
from contract.producers import GIVEN, PRODUCERS, case

MODELS = {name: model for name, (model, *_) in PRODUCERS.items()}
MODELS |= dict.fromkeys(GIVEN, SubgroupBiclustering())
SLOW = {"given, rows", "given, columns", "given, memberships"}
# Nothing is fitted before it is used: each worker of pytest collects all tests.
PAIRS = [
    (producer, consumer)
    for producer, model in MODELS.items()
    for consumer in CONSUMERS
    if hasattr(model, CONSUMERS[consumer].method)
]


@pytest.mark.parametrize(
    ("producer", "consumer"),
    [pytest.param(*one, marks=pytest.mark.slow) if one[0] in SLOW else one for one in PAIRS],
)
def test_works_or_is_refused_in_words(producer, consumer, tmp_path):
    given, to = case(producer), CONSUMERS[consumer]
    if to.serves(given) and (given.model.patterns_ or not to.needs_patterns):
        to.use(given, tmp_path)
    else:
        refused(to.use, given, tmp_path)


def test_producers_have_patterns_and_meet_all_consumers():
    assert [name for name in MODELS if not case(name).model.patterns_] == ["nothing found"]
    assert {consumer for _, consumer in PAIRS} == set(CONSUMERS)
    assert len(PAIRS) >= 200
