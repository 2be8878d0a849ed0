"""Evidence: the results of tests, as a value that a pattern carries."""

from typing import Any, NamedTuple

from bicneuron._writing._formats import LEVEL, format_carriers, format_found, format_p


class Evidence(NamedTuple):
    """Results of tests of a pattern; see `bicneuron.significance.with_evidence`.

    Parameters
    ----------
    method : {"blind", "aware", "group"} or None
        Method of the test; None if there was none.
    carriers : tuple of (label, int, int)
        For each class, its rows that carry the pattern, and all its rows.
    p_value, family_p_value : float or None
        Of the pattern alone, and corrected for all patterns.
    n_permutations : int or None
        Repetitions of the test.
    found : int or None
        Number of subsamples in which the pattern was found again; None if that was not tried.
    n_subsamples : int or None
    column_frequency : tuple of float or None
        Share of the subsamples in which each of its columns was found again.
    smallest_p : float or None
        No corrected p can be smaller with so many repetitions.
    """

    method: str | None = None
    carriers: tuple[tuple[Any, int, int], ...] = ()
    p_value: float | None = None
    family_p_value: float | None = None
    n_permutations: int | None = None
    found: int | None = None
    n_subsamples: int | None = None
    column_frequency: tuple[float, ...] | None = None
    smallest_p: float | None = None

    @property
    def is_chance(self) -> bool:
        """True if it was tested and is no better than chance."""
        return self.family_p_value is not None and self.family_p_value > LEVEL

    @property
    def lines(self) -> list[str]:
        """P and how often it was found again, in words; only what was tested."""
        lines = []
        if self.family_p_value is not None:
            lines.append(format_p(self.family_p_value))
        if self.n_subsamples is not None:
            lines.append(format_found(self.found or 0, self.n_subsamples))
        return lines

    @property
    def record(self) -> dict[str, Any]:
        """Carriers and p in plain data, for files; empty if that was not tested."""
        if self.family_p_value is None:
            return {}
        return {
            "carriers": {
                "all rows" if label is None else str(label): f"{count} of {total}"
                for label, count, total in self.carriers
            },
            "p": self.p_value,
            "p_corrected": self.family_p_value,
        }

    def __str__(self) -> str:
        carriers = [] if self.family_p_value is None else [format_carriers(self.carriers)]
        return "; ".join([*carriers, *self.lines])
