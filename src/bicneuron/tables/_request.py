"""What a caller of `bicneuron.tables.read_table` asks for."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bicneuron.tables._encoding import Encoding
from bicneuron.tables._step import NumberFormat


class Request(NamedTuple):
    """Arguments of `bicneuron.tables.read_table` that concern the roles of columns."""

    target: str | None
    id_column: str | None
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    encoding: Encoding | None
    aside: Mapping[str, tuple[str, ...]]
    covariates: tuple[str, ...]
    guess_groups: bool
    number_format: NumberFormat
    strict: bool
    keep_missing: bool
    only_labelled: bool
    another_cohort: bool
    log: bool
    missing: tuple[str, ...]
    merge: Mapping[str, str]
    cut: Mapping[str, Sequence[float]]

    @property
    def is_fit(self) -> bool:
        """True if the columns show what is read, and not the encoding of a fit."""
        return self.encoding is None

    @property
    def keeps_together(self) -> bool:
        """True if rows are compared, so that those which belong together matter."""
        return self.is_fit or self.another_cohort or self.only_labelled

    @property
    def takes_all(self) -> bool:
        """True if no features are named."""
        return self.encoding is None or self.encoding.features is None

    @property
    def sources(self) -> list[str]:
        """Columns that the features of a model are made of.

        In another cohort a column that has a role is not a feature, whatever it was in the fit.
        """
        if self.encoding is None:
            return []
        taken = {self.target, *(name for name, _ in self.beside)} if self.another_cohort else {}
        return [name for name in self.encoding.sources if name not in taken]

    @property
    def beside(self) -> list[tuple[str, str]]:
        """Names of columns that are not features, and what each is for."""
        named = {**self.aside, "covariates": self.covariates}
        return [(name, use) for use, names in named.items() for name in names]
