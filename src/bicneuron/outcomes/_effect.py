"""How much an outcome differs between the rows of a group and all others, in its own words."""

from typing import NamedTuple

from bicneuron._shared._formats import counted, shortened, signed


class Effect(NamedTuple):
    """Medians inside and outside of a group, and the difference between both.

    Parameters
    ----------
    kind : {"numbers", "survival"}
    name : str
        Of the outcome.
    inside, outside : float or None
        Medians; None if half of the rows never have the event.
    size, low, high : float or None
        Of numbers the median difference between a row inside and one outside (Hodges and Lehmann),
        of survival the hazard ratio (Cox), and its interval of 95 %; None if it is not finite.
    statistic : float
        Standardised rank sum or log-rank statistic, positive if inside is higher, or earlier.
    n_unknown : int
        Rows of which the outcome is not known.
    """

    kind: str
    name: str
    inside: float | None
    outside: float | None
    size: float | None
    low: float | None
    high: float | None
    statistic: float
    n_unknown: int = 0

    @property
    def words(self) -> str:
        """Both medians and the difference, in words."""
        return f"{self.medians} ({self.size_words})"

    @property
    def medians(self) -> str:
        """Both medians, in words."""
        sides = self.inside, self.outside
        medians = ("not reached" if value is None else _short(value) for value in sides)
        return f"median {shortened(self.name)} {' against '.join(medians)}"

    @property
    def size_words(self) -> str:
        """The difference or the hazard ratio with its interval, in words."""
        shown = signed if self.kind == "numbers" else _short
        what = "difference" if self.kind == "numbers" else "hazard ratio"
        if self.size is None or self.low is None or self.high is None:
            return f"{what} not finite"
        ends = f"{shown(self.low)} to {shown(self.high)}"
        return f"{what} {shown(self.size)}, 95 % interval {ends}"

    @property
    def unknown_words(self) -> str:
        """How many rows were not tested, in words; empty if none."""
        rows = counted(self.n_unknown, "row")
        return f"{shortened(self.name)} is not known in {rows}" if self.n_unknown else ""


def _short(value: float) -> str:
    """Three significant digits."""
    return signed(value) if value < 0 else signed(value)[1:]
