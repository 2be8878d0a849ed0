"""Which models take cells without a value."""

from typing import Any

# By what --model and --miner name. It stands here because tables are read, and refused, before any
# model is loaded; a test holds it against what the models say themselves.
TAKES_MISSING = {
    "readable": False,
    "accurate": False,
    "neuron": False,
    "neuron-cv": False,
    "subgroups": False,
    "pairs": False,
}


def takes_missing(model: Any) -> bool:
    """Whether a model says that it takes them."""
    from sklearn.utils import get_tags

    return bool(get_tags(model).input_tags.allow_nan)
