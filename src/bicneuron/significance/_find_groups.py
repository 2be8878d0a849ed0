"""The protocol of ``bicneuron find``: search, test, and put findings first; and what it returns."""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_consistent_length

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._formats import format_carriers
from bicneuron._shared._html import fragment, sentences
from bicneuron._shared._names import feature_names
from bicneuron._shared._steps import working
from bicneuron._shared._version import import_extra
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Evidence, Pattern, class_masks, significant_patterns
from bicneuron.patterns._reference import Reference, learn_reference
from bicneuron.persistence import save_model
from bicneuron.significance import _separate
from bicneuron.significance._columns import ColumnEvidence, column_evidence
from bicneuron.significance._given import fitted_to_given
from bicneuron.significance._known import row_numbers
from bicneuron.significance._questions import ClassQuestion, question_of
from bicneuron.significance._rank_sums import LEAST_ROWS, class_columns
from bicneuron.significance._separate import Separate
from bicneuron.significance._significance import significance_test
from bicneuron.significance._with_evidence import with_evidence


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
        """
        ranked = miner.findings_first(X, y)
        unknown = np.full((len(ranked.patterns_), np.shape(X)[0]), np.nan)
        return cls(ranked, unknown, learn_reference(ranked, X))

    @classmethod
    def from_groups(  # noqa: PLR0913  # as find_groups, and what is given
        cls,
        X: Any,
        given: Any,
        y: Any = None,
        *,
        cut: float = 0.5,
        strata: Any = None,
        covariates: Any = None,
        groups: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> "Findings":
        """Test groups of another tool as `find_groups` tests those that it finds.

        The rows are those that were given. P is corrected for all groups that were given, and only
        valid if y had no part in making them; if it had, `replicate` tests them in other rows.
        Which columns differ, and whether a group is separate, is judged in rows that had no say, by
        columns that are chosen anew without them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Numbers; NaN is a missing value.
        given : array-like of shape (n_rows,) or (n_rows, n_groups), or dict
            A label for each row, such as its cluster, None or NaN for rows of none; a membership
            for each row and group; or names of groups and their rows (names, positions or a mask),
            pairs of rows and columns, or names of columns alone, whose rows are those beyond the
            split of their mean. Names of rows count where given and X have such. What
            `bicneuron.tables.read_groups` returns can be given.
        y : array-like of shape (n_rows,), default=None
            As in `find_groups`.
        cut : float, default=0.5
            Rows with a larger membership are in a group.
        strata, covariates, groups, random_state, n_jobs
            As in `find_groups`.

        Examples
        --------
        >>> from bicneuron import Findings
        >>> from bicneuron.datasets import make_subgroups
        >>> table = make_subgroups("shift", shift=2.5, n_columns=100, random_state=0)
        >>> cluster = {"cluster 7": table.groups[0].rows}
        >>> found = Findings.from_groups(table.X, cluster, table.y, random_state=0)
        >>> found.to_frame().loc[1, "name"], found.to_frame().loc[1, "carriers"]
        ('cluster 7', '15 of 50 case, 0 of 50 control')
        """
        known = {"strata": strata, "covariates": covariates}
        miner = fitted_to_given(X, given, cut, n_jobs, **known)
        return judged_groups(miner, X, y, groups=groups, random_state=random_state, **known)

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
        """What was found and what was tested of it, in sentences, as ``bicneuron find`` prints."""
        return self.miner.summary()

    def carriers(self, X: Any, **known: Any) -> BoolArray:
        """Rows that carry each pattern, as booleans of shape (n_rows, n_patterns).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Rows of the table, or new ones that were measured like it.
        **known : dict
            Further arguments of `SubgroupBiclustering.carriers`, such as ``strata``.
        """
        return self.miner.carriers(X, **known)

    def save(
        self, path: Any, *, about: dict[str, Any] | None = None, overwrite: bool = False
    ) -> Path:
        """Write findings to a file, for `replicate` and `bicneuron.persistence.load_model`.

        Parameters
        ----------
        path : path-like
            ``.skops`` is added where there is no suffix; the result is that path.
        about : dict, default=None
            Anything that JSON can hold.
        overwrite : bool, default=False
            Replace an existing file.
        """
        return save_model(self, path, about=about, overwrite=overwrite)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "columns": ()}

    def __sklearn_tags__(self) -> Any:
        return self.miner.__sklearn_tags__()

    def to_frame(self) -> Any:
        """A DataFrame of patterns: carriers, p-values and the columns that may be named."""
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
            lines.append({"name": pattern.name, **line} if pattern.name else line)
        return pd.DataFrame(lines, index=range(1, len(lines) + 1)).rename_axis("pattern")

    def plot(self, k: int = 0, *, ax: Any = None) -> Any:
        """Draw the scores of rows by searches without them in a `SeparateDisplay`: one hump or two?

        Parameters
        ----------
        k : int, default=0
            Position of the pattern.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
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


# Jaccard index of its carriers with a class, beyond which a group is that class.
SAME_AS_CLASS = 0.75
WHOLE_CLASS = "they are nearly a whole class"
IN_FOLDS = "testing groups and columns: searching without each part of the rows"


def find_groups(
    X: Any,
    y: Any = None,
    *,
    strata: Any = None,
    covariates: Any = None,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Findings:
    """Find groups of rows that share columns, and test whether they are real.

    1. All rows are searched without a look at the classes (`SubgroupBiclustering`).
    2. Is a group tied to a class? See `significance_test`.
    3. Of those that are, or of all if there are no classes, the search is repeated without each
       fifth of the rows: is the group found again, is it a separate group in rows that did not
       choose it, with classes and strata set aside, and which columns differ there?
    4. In how many columns do classes of at least three rows differ, whatever the groups?

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Numbers; NaN is a missing value.
    y : array-like of shape (n_rows,), default=None
        Classes. Without them, a finding is a separate group.
    strata, covariates : array-like of shape (n_rows,) or (n_rows, n), default=None
        Known structure that the search sets aside, such as batch and age. Classes are exchanged
        within strata only.
    groups : array-like of shape (n_rows,), default=None
        Rows that belong together, such as those of a patient.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same result on each call.
    n_jobs : int, default=None
        Number of threads or processes. The result does not depend on it.

    Examples
    --------
    >>> from bicneuron import find_groups
    >>> from bicneuron.datasets import make_subgroups
    >>> table = make_subgroups("shift", shift=2.5, n_columns=100, random_state=0)
    >>> found = find_groups(table.X, table.y, random_state=0)
    >>> found
    <Findings: 1 of 20 patterns>
    >>> found.to_frame().loc[1, "carriers"]
    '15 of 50 case, 0 of 50 control'
    """
    if y is not None:  # refused before the search
        check_consistent_length(X, question_of(y, strata, groups))
    known = {"strata": strata, "covariates": covariates}
    with working("searching", "steps"), warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)  # the summary says so
        miner = SubgroupBiclustering(n_jobs=n_jobs).fit(X, None, **known)
    return judged_groups(miner, X, y, groups=groups, random_state=random_state, **known)


def judged_groups(
    miner: SubgroupBiclustering,
    X: Any,
    y: Any = None,
    *,
    strata: Any = None,
    covariates: Any = None,
    groups: Any = None,
    random_state: Any = None,
) -> Findings:
    """Test the groups of a search that was made without the classes; see `find_groups`."""
    labels = y if y is None or isinstance(question_of(y), ClassQuestion) else None
    known = {"strata": strata, "covariates": covariates}
    options = {**known, "n_jobs": miner.n_jobs, "random_state": random_state}
    if y is not None and miner.patterns_:
        with working("testing"):
            miner = with_evidence(miner, significance_test(miner, X, y, groups=groups, **options))
    asked = miner.patterns_ if y is None else significant_patterns(miner.patterns_)
    places = [place for place, one in enumerate(miner.patterns_) if one in asked]
    columns: list[ColumnEvidence] = []
    separate: dict[int, Separate] = {}
    if places:
        with working(IN_FOLDS, "parts"):
            columns = column_evidence(miner, X, labels, patterns=places, groups=groups, **options)
        of_rows = [row_numbers(one, len(columns[0].scores), "strata") for one in (labels, strata)]
        known_rows = np.column_stack(of_rows)
        columns = [
            replace(one, scores=_separate.less_medians(one.scores, known_rows)) for one in columns
        ]
        known_scores = [
            (one.scores, reason)
            if (reason := _why_not(one.pattern))
            else _separate.sorted_scores(one.scores, known_rows, groups)
            for one in columns
        ]
        seed = draw_seed(random_state)
        found, p = _separate.separate_in_order(known_scores, _separate.N_DRAWS, seed)
        for one, answer, corrected in zip(columns, found, p.tolist(), strict=True):
            separate[one.number - 1] = answer if answer.reason else Separate(corrected)
    in_classes = None
    if labels is not None:
        masks = class_masks(np.asarray(labels), len(labels))
        sizes = np.array([own.sum() for own in masks.values()])
        if np.any(np.minimum(sizes, sizes.sum() - sizes) >= LEAST_ROWS):
            in_classes = class_columns(X, labels, strata=strata, groups=groups)
    tested = with_evidence(miner, columns=columns, separate=separate, class_columns=in_classes)
    return _findings_first(tested, columns, X, labels)


def _findings_first(
    tested: SubgroupBiclustering, columns: list[ColumnEvidence], X: Any, y: AnyArray | None
) -> Findings:
    """Findings, leads and others, with the columns of those that passed the test."""
    significant = significant_patterns(tested.patterns_)
    ranked = tested.findings_first(X, y)
    told = {
        (one.pattern.rows.tobytes(), one.pattern.columns.tobytes()): one
        for one in columns
        if tested.patterns_[one.number - 1] in significant
    }
    scores = np.full((len(ranked.patterns_), np.shape(X)[0]), np.nan)
    renumbered = []
    for number, pattern in enumerate(ranked.patterns_, start=1):
        one = told.get((pattern.rows.tobytes(), pattern.columns.tobytes()))
        if one is not None:
            renumbered.append(replace(one, number=number, pattern=pattern))
            scores[number - 1] = one.scores
    return Findings(ranked, scores, learn_reference(ranked, X), tuple(renumbered))


def _why_not(pattern: Pattern) -> str:
    """Why it cannot be tested whether a pattern is a separate group; empty if it can."""
    if pattern.axis is None or not pattern.axis.is_linear:
        return _separate.NO_LEVEL
    counts = () if pattern.evidence is None else pattern.evidence.carriers
    n_carriers = sum(own for _, own, _ in counts)
    of_classes = ((own, total) for label, own, total in counts if label is not None)
    is_class = any(own > SAME_AS_CLASS * (n_carriers + n - own) for own, n in of_classes)
    return WHOLE_CLASS if is_class else ""
