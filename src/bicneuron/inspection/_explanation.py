"""Bar chart of one explanation."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from textwrap import fill
from typing import Any, Self

from bicneuron._shared._formats import class_name, signed
from bicneuron._shared._plots import AGAINST, ANCHOR, CONTRAST, FOR, plain
from bicneuron.inspection._display import Display

LINE, LONGEST_BAR = 92, 44  # characters of a line across the plot, and of the name of a bar


@dataclass(eq=False, repr=False)
class ExplanationDisplay(Display):
    """The explanation of one row, as bars that add up to its score.

    For a model of one neuron, or one pattern of a network, a bar is the contribution of a column to
    the score; for a network, that of a pattern. If the score is not a sum over columns, bars show
    how much nearer each column puts the row to the anchor or to the contrast.

    Parameters
    ----------
    names, values : sequences of str and of float
        Names and lengths of the bars, from top to bottom.
    title, label : str
        Title of the plot, and meaning of the lengths.
    colours : (str, str), default=("#009E73", "#CC79A7")
        Colours of positive and negative bars.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : matplotlib BarContainer
    texts_ : list of matplotlib Text
        The lengths as numbers.

    Examples
    --------
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.datasets import load_worked_example
    >>> from bicneuron.inspection import ExplanationDisplay
    >>> X, y = load_worked_example(return_X_y=True)
    >>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(model, X, row=0)
    >>> bool(abs(sum(display.values) - model.decision_function(X)[0]) < 1e-9)
    True
    """

    names: Sequence[str]
    values: Sequence[float]
    _: KW_ONLY
    title: str
    label: str
    colours: tuple[str, str] = (FOR, AGAINST)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, row: int = 0, pattern: int | None = None, **options: Any
    ) -> Self:
        """Explain a row and draw it.

        Parameters
        ----------
        estimator : BicNeuronClassifier or BicNeuronNetwork
            Fitted.
        X : array-like of shape (n_rows, n_columns)
        row : int, default=0
            Position of the row in ``X``.
        pattern : int, default=None
            As in `from_explanation`.
        {drawn}
        """
        if not hasattr(estimator, "explain"):
            raise TypeError(
                f"estimator is a {type(estimator).__name__}, which does not predict classes; "
                "give a BicNeuronClassifier or BicNeuronNetwork."
            )
        return cls.from_explanation(estimator.explain(X)[row], pattern=pattern, **options)

    @classmethod
    def from_explanation(
        cls, explanation: Any, *, pattern: int | None = None, **options: Any
    ) -> Self:
        """Draw an explanation.

        Parameters
        ----------
        explanation : Explanation
            An item of what a model's ``explain`` returns.
        pattern : int, default=None
            Position in the explanation's ``patterns`` of the one whose columns are drawn. None
            draws all patterns, or the columns if there is only one pattern.
        {drawn}
        """
        listed = explanation.patterns
        if not listed:
            raise ValueError("there is nothing to draw: the model has no pattern.")
        if pattern is not None and not 0 <= pattern < len(listed):
            n_listed = len(listed)
            raise ValueError(f"pattern={pattern}, but the explanation lists {n_listed} pattern(s).")
        if pattern is None and explanation.n_patterns > 1:
            return cls._of_patterns(explanation).plot(**options)
        return cls._of_columns(explanation, listed[pattern or 0]).plot(**options)

    @classmethod
    def _of_patterns(cls, explanation: Any) -> Self:
        shown = explanation.shown_patterns
        names = []
        for each in shown:  # by the column that contributes most
            more = f" and {len(each.columns) - 1} more" if len(each.columns) > 1 else ""
            names.append(f"pattern {each.number}: {plain(each.columns[0].feature)}{more}")
        values = [each.contribution for each in shown]
        if n_others := explanation.n_patterns - len(shown):
            names.append(f"{n_others} other pattern(s)")
            values.append(explanation.score - explanation.bias - sum(values))
        return cls._of_bars(explanation, names, values, explanation.bias, explanation.headline)

    @classmethod
    def _of_columns(cls, explanation: Any, pattern: Any) -> Self:
        title, shown = f"{explanation.headline}\n{pattern.title}", pattern.shown_columns
        names = [f"{column.feature} = {column.written_value}" for column in shown]
        if pattern.bias is None:
            near, far = class_name(pattern.anchor_class), class_name(pattern.contrast_class)
            label = f"nearer to {plain(near)} (> 0) or to {plain(far)} (< 0)"
            values = [column.nearness for column in shown]
            return cls(names, values, title=title, label=label, colours=(ANCHOR, CONTRAST))
        values = [column.contribution or 0.0 for column in shown]
        if n_others := len(pattern.columns) - len(shown):
            names.append(f"{n_others} other column(s)")
            values.append(pattern.contribution - pattern.bias - sum(values))
        bias = pattern.bias + (explanation.bias if explanation.n_patterns == 1 else 0.0)
        return cls._of_bars(explanation, names, values, bias, title)

    @classmethod
    def _of_bars(
        cls, explanation: Any, names: list[str], values: list[float], bias: float, title: str
    ) -> Self:
        if bias:
            names, values = [*names, "for every row"], [*values, bias]
        own, other = explanation.positive_class, explanation.negative_class
        sides = f"> 0: for {plain(class_name(own))}, < 0: for {plain(class_name(other))}"
        return cls(names, values, title=title, label=f"contribution to the score ({sides})")

    @property
    def _size(self) -> tuple[float, float]:
        n_more = sum(text.count("\n") for text in self._wrapped)
        return 8, 1.8 + 0.32 * len(self.names) + 0.18 * n_more

    @property
    def _wrapped(self) -> tuple[str, str]:
        """Title and label in lines that fit beside the names of the bars."""
        room = LINE - max((len(plain(name, LONGEST_BAR)) for name in self.names), default=0)
        lines = (plain(line, 2 * room) for line in self.title.splitlines())
        return "\n".join(fill(line, room) for line in lines), fill(self.label, room)

    def _draw(self, ax: Any) -> None:
        positions = range(len(self.names))
        colours = [self.colours[value < 0] for value in self.values]
        self.bars_ = ax.barh(positions, self.values, color=colours)
        self.texts_ = ax.bar_label(self.bars_, labels=[*map(signed, self.values)], padding=3)
        ax.set_yticks(positions, [plain(name, LONGEST_BAR) for name in self.names])
        ax.invert_yaxis()
        low, high = min(0.0, *self.values), max(0.0, *self.values)
        margin = 0.18 * (high - low) or 1.0
        ax.set_xlim(low - margin, high + margin)
        ax.axvline(0, color=ax.spines["left"].get_edgecolor(), linewidth=0.8)
        title, label = self._wrapped
        ax.set_title(title, loc="left", fontsize="medium")
        ax.set_xlabel(label)
