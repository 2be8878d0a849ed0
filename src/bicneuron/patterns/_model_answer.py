"""What is told of the patterns of a model that predicts, in the same words everywhere.

The score on rows left out says how good the model is. Patterns are told by what they were in the
folds of that score, and by p where they were found without the classes.
"""

from collections.abc import Sequence

from bicneuron._shared._formats import counted, format_carriers, shortened
from bicneuron.patterns._answer import tie_words
from bicneuron.patterns._evidence import Evidence
from bicneuron.patterns._pattern import Pattern

# Patterns that are described one by one, and columns named of each.
MOST_PATTERNS, MOST_NAMES = 10, 6


def model_lines(patterns: Sequence[Pattern], names: Sequence[str], n_rows: int) -> list[str]:
    """One line about each pattern; only how many there are if they are many."""
    if len(patterns) > MOST_PATTERNS:
        return [f"{len(patterns):,} patterns decide together."]
    lines = []
    if all(one.kind == "class" for one in patterns):
        size = f"{counted(n_rows, 'row')} and {counted(len(names), 'column')}"
        lines.append(f"No pattern that predicts the class was found in {size}.")
    for number, pattern in enumerate(patterns, start=1):
        told = [_columns(pattern, names), _origin(pattern), *pattern_facts(pattern)]
        lines.append(f"{number}. {'; '.join(told)}")
    return lines


def pattern_facts(pattern: Pattern) -> list[str]:
    """Who carries a pattern on rows left out, how often it was chosen again, and its exact p."""
    if pattern.kind == "class":  # no pattern: the score tells all
        return []
    evidence = pattern.evidence or Evidence()
    facts = []
    if evidence.left_out:
        own_first = sorted(evidence.left_out, key=lambda one: one[0] != pattern.anchor_class)
        facts.append(f"carried on rows left out by {format_carriers(own_first)}")
    if evidence.n_folds is not None:
        facts.append(f"chosen again in {evidence.n_found} of {evidence.n_folds} folds")
    if evidence.family_p_value is not None and evidence.carriers:
        facts.append(tie_words(pattern))
    return facts


def _columns(pattern: Pattern, names: Sequence[str]) -> str:
    columns = [shortened(names[column]) for column in pattern.ranked_columns.tolist()]
    if pattern.kind == "class":
        return f"one neuron on all {counted(len(columns), 'column')}"
    more = ", ..." if len(columns) > MOST_NAMES else ""
    return f"{counted(len(columns), 'column')} ({', '.join(columns[:MOST_NAMES])}{more})"


def _origin(pattern: Pattern) -> str:
    """Its share in a network, or the rows that a neuron was trained on."""
    if pattern.neuron is not None and len(pattern.neuron.weight):
        share = pattern.strength
        return f"{'under 1' if 0 < share < 0.005 else f'{100 * share:.0f}'} % of the decision"
    other = pattern.contrast_class
    others = "others" if other is None else f"of {shortened(str(other))}"
    own = f"{counted(len(pattern.rows), 'row')} of {shortened(str(pattern.anchor_class))}"
    return f"learned from {own} and {len(pattern.contrast_rows):,} {others}"
