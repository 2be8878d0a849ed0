"""The explanations of many rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from bicneuron.explanation._explanation import Explanation

# Patterns are listed, strongest first, until they make up this share of all contributions.
SHARE = 0.9
# Explanations that a notebook shows of a longer list.
SHOWN_ROWS = 10


class Explanations(Sequence[Explanation]):
    """The explanations of many rows, each computed when it is accessed.

    Parameters
    ----------
    explain_row : callable
        Gives the `Explanation` of the row at a position, with patterns up to a share and a number.
    positions : iterable of int
    """

    def __init__(
        self, explain_row: Callable[[int, float, int | None], Explanation], positions: Iterable[int]
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
        return self._explain_row(self._positions[index], SHARE, None)

    def strongest(self, index: int, n_patterns: int) -> Explanation:
        """The explanation of a row with its strongest patterns only.

        Parameters
        ----------
        index : int
        n_patterns : int
            Patterns to list at most.

        Returns
        -------
        Explanation
        """
        return self._explain_row(self._positions[index], SHARE, n_patterns)

    def to_frame(self) -> Any:
        """One line per row: its class, score and probability, and the strongest pattern.

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
        strongest = [self._explain_row(position, 0.0, None) for position in self._positions]
        return pandas.DataFrame(
            [_summary(explanation) for explanation in strongest],
            index=pandas.Index([explanation.row for explanation in strongest], name="row"),
        )

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} rows>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the first explanations at the end of a notebook cell."""
        printer.text(str(self[:SHOWN_ROWS]))
        if len(self) > SHOWN_ROWS:
            printer.text(f"\n\nAnd {len(self) - SHOWN_ROWS} more rows.")


def _summary(explanation: Explanation) -> dict[str, Any]:
    pattern = explanation.patterns[0]
    return {
        "predicted": explanation.predicted,
        "score": explanation.score,
        "probability": explanation.probability,
        "pattern": pattern.number,
        "contribution": pattern.contribution,
        "anchor_class": pattern.anchor_class,
        "nearer": pattern.nearer,
        "columns": ", ".join(column.feature for column in pattern.columns),
    }
