"""Three questions about the groups that ``bicneuron find`` finds, and their answers."""

from typing import TYPE_CHECKING, Any, NamedTuple

from bicneuron.cli._answer import Answer
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._settings import Miner

if TYPE_CHECKING:
    from bicneuron.tables import Table

# Tables without groups that are searched: the fewest with which p = 0.05 can be reached.
TABLES = 19


class Questions(NamedTuple):
    """What is asked about groups.

    Parameters
    ----------
    is_group : bool
        Is it a group?
    is_of_class : bool
        Does it belong to a class? Then the search does without the classes.
    is_found_again : bool
        Is it found again in parts of the rows?
    """

    is_group: bool
    is_of_class: bool
    is_found_again: bool

    @property
    def options(self) -> list[str]:
        """The options that ask for them."""
        names = ("--group-test", "--significance", "--stability")
        return [name for name, is_asked in zip(names, self, strict=True) if is_asked]

    def check(self, target: str | None, miner: Miner, groups: str | None) -> None:
        """Refuse questions that cannot be answered, before any work."""
        if groups is not None and not (self.is_of_class or self.is_found_again):
            raise CommandError("--groups is for --significance and --stability; add one of them.")
        if miner is not Miner.subgroups and any(self):
            raise CommandError(f"{self.options[0]} tests groups; leave out --miner {miner}.")
        if self.is_of_class and target is None:
            raise CommandError("--significance needs classes; name their column with --target.")

    def check_exchange(self, read: "Table") -> None:
        """Refuse strata and groups that leave no classes to exchange, before the search."""
        if self.is_of_class:
            import numpy as np

            from bicneuron.significance._nulls import LabelShuffler

            assert read.labels is not None  # a target was asked for
            numbered = np.unique(read.labels, return_inverse=True)[1]
            LabelShuffler(numbered, read.aside.get("strata"), read.aside.get("groups"))

    def answer(
        self, answer: Answer, miner: Any, read: "Table", known: dict[str, Any], seed: int
    ) -> tuple[Any, dict[str, str]]:
        """Test the groups of a fitted miner.

        Returns
        -------
        miner : as ``miner``
            With the results.
        summaries : dict of str to str
            One line about each test against chance, by its name.
        """
        from bicneuron import significance as tests

        # The search has seen the classes, or else is asked whether its groups belong to them.
        labels = None if self.is_of_class else read.labels
        groups = read.aside.get("groups")
        options = {**known, "n_jobs": miner.n_jobs, "random_state": seed}
        as_groups = tested = again = None
        if self.is_group:
            on = "searching tables without groups"
            with answer.working(on, "tables") as advance, refusing_bad_values():
                as_groups = tests.significance_test(
                    miner,
                    read.features,
                    labels,
                    method="group",
                    n_permutations=TABLES,
                    after_searches=advance,
                    **options,
                )
        if self.is_of_class:
            with answer.working("testing"), refusing_bad_values():
                tested = tests.significance_test(
                    miner, read.features, read.labels, groups=groups, **options
                )
        if self.is_found_again:
            with answer.working("searching parts", "subsamples") as advance, refusing_bad_values():
                again = tests.stability(
                    miner, read.features, labels, groups=groups, after_searches=advance, **options
                )
        results = {"group_test": as_groups, "significance": tested}
        summaries = {name: one.summary() for name, one in results.items() if one is not None}
        return tests.with_evidence(miner, tested, again, group=as_groups), summaries
