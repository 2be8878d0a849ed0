"""The search of ``bicneuron find`` for groups, and what is asked about them."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from bicneuron.cli._answer import Answer, unless_first_run
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._reading import NO_GROUPS

if TYPE_CHECKING:
    from bicneuron.tables import Table

# Tables without groups that are searched: the fewest with which p = 0.05 can be reached.
TABLES = 19


class Questions(NamedTuple):
    """What is asked about groups.

    Parameters
    ----------
    is_group : bool
        Is it a group? What only the search with classes sees has no other test.
    is_of_class : bool
        Does it belong to a class? Then the first search does without the classes.
    is_found_again : bool
        Is it found again in parts of the rows?
    """

    is_group: bool
    is_of_class: bool
    is_found_again: bool

    @classmethod
    def asked(
        cls, target: str | None, *, no_test: bool, group_test: bool, again: bool
    ) -> "Questions":
        """Questions by the options; groups without classes are tested as groups."""
        if no_test and group_test:
            raise CommandError("--no-test and --group-test exclude each other; leave out one.")
        is_of_class = target is not None and not no_test
        return cls(group_test or not (no_test or is_of_class), is_of_class, again)

    def check_groups(self, groups: str | None) -> None:
        """Refuse --groups where no question needs it."""
        if groups not in (None, NO_GROUPS) and not any(self):
            raise CommandError("--groups is for tests; leave out --no-test, or add --stability.")


class Search(NamedTuple):
    """Search a table for groups and test them.

    Parameters
    ----------
    answer : Answer
    miner : SubgroupBiclustering
        Not fitted.
    read : Table
    seed : int
    n_tables : int or None, default=None
        Tables of each of two kinds without groups; None for the fewest that suffice.
    """

    answer: Answer
    miner: Any
    read: "Table"
    seed: int
    n_tables: int | None = None

    @property
    def known(self) -> dict[str, Any]:
        """Strata and covariates, as ``fit`` takes them."""
        import numpy as np

        known = {"strata": self.read.aside.get("strata"), "covariates": self.read.covariates}
        return {name: np.asarray(values) for name, values in known.items() if values is not None}

    def run(self, asked: Questions, show: Callable[[Any], None]) -> Any:
        """Return a fitted miner whose groups have the results of tests, findings first.

        ``show`` is given the groups that are found before a test that takes long.
        """
        X, y = self.read.features, self.read.labels
        if not asked.is_of_class:
            found = self.fit(y)
            if asked.is_group and found.patterns_:
                show(found)
            return self._tested(found, y, asked).findings_first(X, y)
        self._check_exchange()
        blind = self._tested(self.fit(None), None, asked)
        seen = self.fit(y).beyond(blind, X)
        seen = self._tested(seen, y, asked._replace(is_of_class=False))
        return seen.findings_first(X, y, before=blind)

    def columns_of(self, found: Any) -> tuple[Any, list[Any]]:
        """The miner with its columns in the order of their evidence, and this evidence.

        Of what is proven, from rows that did not choose the columns.
        """
        from bicneuron.patterns import proven_patterns
        from bicneuron.significance import column_evidence, with_evidence

        proven = proven_patterns(found.patterns_)
        places = [place for place, one in enumerate(found.patterns_) if one in proven]
        if not places:
            return found, []
        on = "testing columns: searching without each part of the rows"
        with self.answer.working(on, "parts") as advance, refusing_bad_values():
            evidence = column_evidence(
                *(found, self.read.features, self.read.labels),
                patterns=places,
                groups=self.read.aside.get("groups"),
                n_jobs=self.miner.n_jobs,
                random_state=self.seed,
                after_searches=advance,
                **self.known,
            )
        return with_evidence(found, columns=evidence), evidence

    def _check_exchange(self) -> None:
        """Refuse strata and groups that leave no classes to exchange, before the search."""
        import numpy as np

        from bicneuron.significance._nulls import LabelShuffler

        numbered = np.unique(np.asarray(self.read.labels), return_inverse=True)[1]
        aside = self.read.aside
        with refusing_bad_values():
            LabelShuffler(numbered, aside.get("strata"), aside.get("groups"))

    def fit(self, labels: Any) -> Any:
        """Search the table with labels, or without."""
        from sklearn.base import clone

        from bicneuron._estimators._steps import listening
        from bicneuron._estimators._workers import fit_on_cluster
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

    def _tested(self, miner: Any, labels: Any, asked: Questions) -> Any:
        """Test the groups of a search with these labels, and return it with the results."""
        from bicneuron import significance as tests

        X, groups = self.read.features, self.read.aside.get("groups")
        options = {**self.known, "n_jobs": miner.n_jobs, "random_state": self.seed}
        as_groups = tested = again = None
        if not miner.patterns_:
            return miner
        if asked.is_of_class:
            with self.answer.working("testing"), refusing_bad_values():
                tested = tests.significance_test(
                    miner, X, self.read.labels, groups=groups, **options
                )
        if asked.is_group:
            on = "searching tables without groups"
            with self.answer.working(on, "tables") as advance, refusing_bad_values():
                as_groups = tests.significance_test(
                    *(miner, X, labels),
                    method="group",
                    groups=groups,
                    n_permutations=self.n_tables or TABLES,
                    after_searches=advance,
                    **options,
                )
        if asked.is_found_again:
            on = "searching parts"
            with self.answer.working(on, "subsamples") as advance, refusing_bad_values():
                again = tests.stability(
                    miner, X, labels, groups=groups, after_searches=advance, **options
                )
        return tests.with_evidence(miner, tested, again, group=as_groups)
