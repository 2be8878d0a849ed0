"""An explanation of one prediction as a value, and the list of those of many rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, overload

from bicneuron.explanation._page import list_html, page_html
from bicneuron.explanation._text import plain_text

# Patterns are told, strongest first, until they make up this share of all contributions.
SHARE = 0.9
# Explanations that a notebook shows of a longer list.
SHOWN = 10


class ColumnContribution(NamedTuple):
    """What one column of a pattern has to do with a decision.

    Parameters
    ----------
    feature : str
    value : float
        Of the row, in the user's own units.
    anchor, contrast : float
        Centroids of the two sides of the pattern, in the same units.
    nearness : float
        How much nearer to the anchor this column puts the row: the mean over the columns is the
        difference between the squared distances to contrast and anchor. No part of the score.
    weight : float or None
        What one more unit of this column adds to the score; None unless the neuron is linear.
    contribution : float or None
        What the column adds to the score, with its value measured from the middle between both
        centroids if the neuron is linear; None where a score is no sum over columns.
    """

    feature: str
    value: float
    anchor: float
    contrast: float
    nearness: float
    weight: float | None
    contribution: float | None


@dataclass(frozen=True, slots=True)
class PatternContribution:
    """What one pattern, a contrastive pair with its neuron, adds to a score.

    Parameters
    ----------
    number : int
        Its place in ``patterns_`` or, beyond two classes, in ``estimators_`` of the model.
    anchor_class, contrast_class : label or None
        Of its two sides; None for several classes together.
    is_pair : bool
        False for a neuron on all rows and columns, for want of a pair: the centroids are then
        those of two whole classes.
    contribution : float
    bias : float or None
        The part of it that is due to no column: ``bias`` and the contributions of the columns add
        up to ``contribution``. None if the neuron is no sum over columns.
    threshold : float
        Taken off the neuron's own score.
    anchor_distance, contrast_distance : float
        Root mean square over the columns of the row's differences from the centroids, in ranges of
        the columns (a classifier) or on the soft scale of a network.
    columns : tuple of ColumnContribution
        The most telling first.
    """

    number: int
    anchor_class: Any
    contrast_class: Any
    is_pair: bool
    contribution: float
    bias: float | None
    threshold: float
    anchor_distance: float
    contrast_distance: float
    columns: tuple[ColumnContribution, ...]

    @property
    def nearer(self) -> Literal["anchor", "contrast"]:
        """The side whose centroid is nearer to the row."""
        return "anchor" if self.anchor_distance <= self.contrast_distance else "contrast"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one row was given its class.

    ``bias``, the contributions of ``patterns`` and ``rest`` add up to ``score``.

    Parameters
    ----------
    row : label
        Name of the row, or its number.
    predicted : label
    score : float
        With two classes the decision score, which speaks for ``positive_class`` if it is > 0.
        Beyond, the score of the predicted class; in a classifier that takes the classes pair by
        pair, the sum of the log odds for it against each other class.
    probability : float or None
        Of the predicted class; None for models without probabilities.
    positive_class, negative_class : label or None
        What positive and negative contributions speak for; None for several classes together.
    bias : float
        Part of the score that does not depend on the row.
    patterns : tuple of PatternContribution
        Strongest first, until they make up 90 % of what all patterns contribute, signs aside.
    n_patterns : int
        How many patterns have a part in the score.
    rest : float
        What those that are not told contribute together.

    Examples
    --------
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.datasets import load_worked_example
    >>> X, y = load_worked_example(return_X_y=True)
    >>> model = BicNeuronClassifier(random_state=0).fit(X, y)
    >>> explanation = model.explain(X)[0]
    >>> bool(explanation.score == model.decision_function(X)[0])
    True
    >>> explanation.patterns[0].nearer
    'anchor'
    """

    row: Any
    predicted: Any
    score: float
    probability: float | None
    positive_class: Any
    negative_class: Any
    bias: float
    patterns: tuple[PatternContribution, ...]
    n_patterns: int
    rest: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data: labels, numbers, and dictionaries in lists."""
        content = asdict(self)
        content["patterns"] = [
            {
                **asdict(pattern),
                "nearer": pattern.nearer,
                "columns": [column._asdict() for column in pattern.columns],
            }
            for pattern in self.patterns
        ]
        return content

    def __str__(self) -> str:
        return plain_text(self)

    def _repr_html_(self) -> str:
        return page_html(self)


class Explanations(Sequence[Explanation]):
    """The explanations of many rows, each made when it is looked at.

    Parameters
    ----------
    explain_row : callable
        Gives the `Explanation` of the row at a position, with patterns up to a share.
    positions : iterable of int
    """

    def __init__(
        self, explain_row: Callable[[int, float], Explanation], positions: Iterable[int]
    ) -> None:
        self._explain_row = explain_row
        self._positions = list(positions)

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...
    def __getitem__(self, index: int | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            return Explanations(self._explain_row, self._positions[index])
        return self._explain_row(self._positions[index], SHARE)

    def to_frame(self) -> Any:
        """One line for each row: its class, score and probability, and the strongest pattern.

        Returns
        -------
        pandas.DataFrame
            With the names of the rows as index.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "a frame needs pandas; run pip install 'bicneuron[tables]'."
            ) from error
        strongest = [self._explain_row(position, 0.0) for position in self._positions]
        return pandas.DataFrame(
            [
                {
                    "predicted": explanation.predicted,
                    "score": explanation.score,
                    "probability": explanation.probability,
                    "pattern": pattern.number,
                    "contribution": pattern.contribution,
                    "anchor_class": pattern.anchor_class,
                    "nearer": pattern.nearer,
                    "columns": ", ".join(column.feature for column in pattern.columns),
                }
                for explanation in strongest
                for pattern in explanation.patterns
            ],
            index=pandas.Index([explanation.row for explanation in strongest], name="row"),
        )

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} rows>"

    def _repr_html_(self) -> str:
        return list_html([self[k] for k in range(min(SHOWN, len(self)))], len(self))
