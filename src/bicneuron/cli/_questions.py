"""The search of ``bicneuron find`` for groups, and what is asked about them."""

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from bicneuron.cli._answer import Answer, unless_first_run
from bicneuron.cli._messages import refusing_bad_values

if TYPE_CHECKING:
    from bicneuron.tables import Table


class Search(NamedTuple):
    """Search a table for groups and test them."""

    answer: Answer
    miner: Any
    read: "Table"
    seed: int

    @property
    def known(self) -> dict[str, Any]:
        """Strata and covariates, as ``fit`` takes them."""
        import numpy as np

        known = {"strata": self.read.aside.get("strata"), "covariates": self.read.covariates}
        return {name: np.asarray(values) for name, values in known.items() if values is not None}

    def run(self, *, is_tested: bool, again: bool) -> tuple[Any, list[Any]]:
        """Return a fitted miner whose groups have the results of tests, and those of columns.

        Findings come first.
        """
        X, y, groups = self.read.features, self.read.labels, self.read.aside.get("groups")
        if is_tested and y is not None:
            self._check_exchange()
        found = self.fit(None if is_tested else y)
        from bicneuron.significance import group_findings, stability, with_evidence

        options = {**self.known, "n_jobs": self.miner.n_jobs, "random_state": self.seed}
        if again and found.patterns_:
            on = "searching parts"
            with self.answer.working(on, "subsamples") as advance, refusing_bad_values():
                repeated = stability(
                    *(found, X, None if is_tested else y),
                    groups=groups,
                    after_searches=advance,
                    **options,
                )
            found = with_evidence(found, stability=repeated)
        if not is_tested:
            return found, []
        with refusing_bad_values():
            return group_findings(
                *(found, X, y), groups=groups, working=self.answer.working, **options
            )

    def _check_exchange(self) -> None:
        """Refuse strata and groups that leave no classes to exchange, before the search."""
        import numpy as np

        from bicneuron.significance._label_orders import LabelShuffler

        numbered = np.unique(np.asarray(self.read.labels), return_inverse=True)[1]
        aside = self.read.aside
        with refusing_bad_values():
            LabelShuffler(numbered, aside.get("strata"), aside.get("groups"))

    def fit(self, labels: Any) -> Any:
        """Search the table with labels, or without."""
        from sklearn.base import clone

        from bicneuron._shared._steps import listening
        from bicneuron._shared._workers import fit_on_cluster
        from bicneuron.exceptions import NoBiclusterWarning

        miner = clone(self.miner)
        if labels is None and hasattr(miner, "anchor"):  # which names classes
            miner.set_params(anchor=None)
        on = "searching" if labels is None else "searching with the classes"
        unit = "steps" if hasattr(miner, "anchor") else ""
        with (
            self.answer.working(unless_first_run(on), unit) as advance,
            listening(advance),
            refusing_bad_values(),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", NoBiclusterWarning)  # the answer says so
            return fit_on_cluster(miner, self.read.features, labels, **self.known)
