"""Findings: the groups of a table, with what was tested of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._formats import format_carriers
from bicneuron._shared._html import fragment, sentences
from bicneuron._shared._names import feature_names
from bicneuron._shared._version import import_extra
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.patterns import Evidence, Pattern
from bicneuron.patterns._reference import Reference, learn_reference
from bicneuron.persistence import save_model
from bicneuron.significance._columns import ColumnEvidence


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """Groups of a table with the results of their tests; see `find_groups`.

    Parameters
    ----------
    miner : SubgroupBiclustering
        Its patterns have their evidence: findings come first, then leads, then all others.
    scores : array of shape (n_patterns, n_rows)
        Scores of rows by searches without them, less the medians of classes and strata, for
        patterns that passed the test against chance; NaN where there are none.
    reference : Reference
        What is kept of the table, to look for the groups elsewhere; see `replicate`.
    columns : tuple of ColumnEvidence
        Evidence of every column of the table, for these patterns. Files do not keep it.
    """

    miner: SubgroupBiclustering
    scores: FloatArray
    reference: Reference
    columns: tuple[ColumnEvidence, ...] = ()

    @classmethod
    def untested(cls, miner: SubgroupBiclustering, X: Any, y: Any = None) -> Self:
        """Findings of which nothing was tested, such as those of a miner with settings of its own.

        Parameters
        ----------
        miner : SubgroupBiclustering
            Fitted; it is not changed.
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            The table that it was fitted to.
        y : array-like of shape (n_rows,), default=None
            Classes in which carriers are counted.

        Returns
        -------
        Findings
        """
        ranked = miner.findings_first(X, y)
        unknown = np.full((len(ranked.patterns_), np.shape(X)[0]), np.nan)
        return cls(ranked, unknown, learn_reference(ranked, X))

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the table."""
        return int(self.miner.n_features_in_)

    @property
    def feature_names_in_(self) -> AnyArray:
        """Names of the columns of the table, if it had such."""
        return np.asarray(self.miner.feature_names_in_)

    @property
    def patterns(self) -> list[Pattern]:
        """The groups, findings first; people count them from 1."""
        return self.miner.patterns_

    def summary(self) -> str:
        """What was found and what was tested of it, in sentences.

        Returns
        -------
        str
            The answer that ``bicneuron find`` prints.
        """
        return self.miner.summary()

    def carriers(self, X: Any, **known: Any) -> BoolArray:
        """Rows that carry each pattern.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Rows of the table, or new ones that were measured like it.
        **known : dict
            Further arguments of `SubgroupBiclustering.carriers`, such as ``strata``.

        Returns
        -------
        carriers : bool array of shape (n_rows, n_patterns)
        """
        return self.miner.carriers(X, **known)

    def save(
        self, path: Any, *, about: dict[str, Any] | None = None, overwrite: bool = False
    ) -> Path:
        """Write the findings to a file, for `replicate` and `bicneuron.persistence.load_model`.

        Parameters
        ----------
        path : path-like
            ``.skops`` is added where there is no suffix.
        about : dict, default=None
            Anything that JSON can hold.
        overwrite : bool, default=False
            Replace an existing file.

        Returns
        -------
        path : Path
        """
        return save_model(self, path, about=about, overwrite=overwrite)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "columns": ()}

    def __sklearn_tags__(self) -> Any:
        return self.miner.__sklearn_tags__()

    def to_frame(self) -> Any:
        """One line for each pattern: carriers, p-values and the columns that may be named.

        Returns
        -------
        DataFrame
        """
        pd = import_extra("pandas", "a frame needs pandas; run pip install 'bicneuron[tables]'.")
        names = feature_names(self.miner)
        lines = []
        for pattern in self.patterns:
            evidence = pattern.evidence or Evidence()
            counts = [(label, *n) for label, n in (pattern.carrier_counts or {}).items()]
            line = {
                "carriers": format_carriers(evidence.carriers or counts),
                "finding": evidence.is_finding,
                "p": evidence.family_p_value,
                "p_separate": evidence.separate_p,
                "found_again": evidence.n_found,
                "strength": pattern.strength,
                "n_columns": len(pattern.columns),
                "columns": ", ".join(names[k] for k in pattern.columns[pattern.named_columns]),
            }
            lines.append(line)
        return pd.DataFrame(lines, index=range(1, len(lines) + 1)).rename_axis("pattern")

    def plot(self, k: int = 0, *, ax: Any = None) -> Any:
        """Draw the scores of rows by searches without them: one hump or two?

        Parameters
        ----------
        k : int, default=0
            Position of the pattern.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : SeparateDisplay
        """
        from bicneuron.inspection import SeparateDisplay

        pattern, scores = self.patterns[k], self.scores[k]
        if not np.isfinite(scores).any():
            raise ValueError(
                f"pattern {k + 1} has no scores to draw: it did not pass the test against chance, "
                "was not found again, or is not a matter of levels."
            )
        carriers = np.isin(np.arange(len(scores)), pattern.rows)
        p = None if pattern.evidence is None else pattern.evidence.separate_p
        return SeparateDisplay(scores, carriers, p=p).plot(ax)

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer."""
        return fragment(sentences(*self.summary().splitlines()))

    def __repr__(self) -> str:
        n_findings = sum(bool(one.evidence and one.evidence.is_finding) for one in self.patterns)
        return f"<Findings: {n_findings} of {len(self.patterns)} patterns>"
