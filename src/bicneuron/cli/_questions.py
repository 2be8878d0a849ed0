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

    def run(self) -> tuple[Any, list[Any]]:
        """Return a fitted miner whose groups have the results of tests, and those of columns.

        Findings come first.
        """
        X, y, groups = self.read.features, self.read.labels, self.read.aside.get("groups")
        if y is not None:
            self._check_exchange()
        found = self.fit()
        from bicneuron.significance import group_findings

        options = {**self.known, "n_jobs": self.miner.n_jobs, "random_state": self.seed}
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

    def fit(self) -> Any:
        """Search the table without its labels."""
        from sklearn.base import clone

        from bicneuron._shared._steps import listening
        from bicneuron._shared._workers import fit_on_cluster
        from bicneuron.exceptions import NoBiclusterWarning

        with (
            self.answer.working(unless_first_run("searching"), "steps") as advance,
            listening(advance),
            refusing_bad_values(),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", NoBiclusterWarning)  # the answer says so
            return fit_on_cluster(clone(self.miner), self.read.features, None, **self.known)
