"""The report of the study: Markdown, and a plot of the power."""

from collections.abc import Iterator, Sequence

from bicneuron._shared._formats import LEVEL
from studies._report import Panel, markdown_table, panels_svg
from studies.replication.summary import N_ERRORS, Rate, ReplicationRow
from studies.replication.tables import (
    BASE,
    CORRELATIONS,
    CURVES,
    FIRST_MEMBERS,
    GRADIENTS,
    LOADINGS,
    N_OWN,
    SECOND_SHIFT,
    SMALL_COLUMNS,
    SMALL_ROWS,
)

WORDS = {
    "names": "real patterns under wrong names",
    "permuted": "patterns of a cohort with shuffled columns",
    "noise": "patterns of normal noise",
    **{
        f"{shape}-{loading:g}": f"{shape} gradient, {loading:g}"
        for shape in GRADIENTS
        for loading in LOADINGS
    },
    **{f"blocks-{value:g}": f"block correlated by {value:g}" for value in CORRELATIONS},
    "batch": "gamma gradient, 1, beside a batch (`strata`)",
    "group-17": "group of 17 of 80",
    "group-8": "group of 8 of 80",
    "group-apart": "group of 17 of 80, columns in blocks of .6 of their own",
    "exchanged": "the group is there, classes exchanged",
    "strata": "classes depend on the batch alone",
    "hazard-1": "survival does not depend on the group",
    "hazard-3": "hazard ratio 3 (tie to survival)",
    "base": "base",
    "dropped": "rows of the group dropped",
    "distorted-rows": "each row on a scale of its own",
    "distorted-columns": "each column with a gain and an offset",
    "distorted-batch": "half of the rows in another batch",
    "panel-60": "panel, 60 of 100 columns carry the group",
    "panel-90": "panel, 90 of 100 columns carry the group",
}
TITLES = {
    "shift": "shift, in standard deviations",
    "rows": "rows of the second cohort",
    "share": "share of members there",
    "present": "share of the columns present",
}
TESTS = {
    "together": "together",
    "class": "class",
    "class_labels_only": "class, labels only",
    "outcome": "outcome",
    "outcome_labels_only": "outcome, labels only",
}
# Tests whose null is true in a section; all of them in the others.
NULL_TESTS = {"labels": ("class", "outcome")}
PLOT = "replication.svg"


def describe(rows: Sequence[ReplicationRow]) -> str:
    """Write all sections for which there are rows."""
    return "\n".join(
        [
            "# Is a pattern found again elsewhere?",
            "",
            "`SubgroupBiclustering` finds groups in one table, `replicate` looks for them in a",
            "second one.",
            *describe_level(rows),
            *describe_separate(rows),
            *describe_list(rows),
            *describe_power(rows),
            *describe_cohorts(rows),
            "",
        ]
    )


def describe_level(rows: Sequence[ReplicationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section in ("level", "labels")]
    if not own:
        return
    yield from ("", "## Nothing to find", "")
    yield (
        f"Share of patterns with p <= {LEVEL:g}, with its standard error by pairs of tables, and "
        "share of pairs with any pattern that is found again. Bold is more than "
        f"{LEVEL:g} and {N_ERRORS} standard errors. *Labels only* is not an answer of `replicate`: "
        "it is the p that one gets from exchanging labels alone. In the last rows the group is "
        "there, and only its tie to labels is not."
    )
    head = ("", "pairs", *TESTS.values(), "any found again")
    lines = []
    for row in own:
        # What holds nowhere, or only for the group or the tie to labels.
        nulls = NULL_TESTS.get(row.section, tuple(TESTS))
        cells = [_rate(row.rates.get(test), test in nulls) for test in TESTS]
        lines.append((WORDS[row.table], f"{row.n_pairs}", *cells, f"{row.families:.3f}"))
    yield from ("", *markdown_table(head, lines))


def _rate(rate: Rate | None, is_null: bool) -> str:
    if rate is None:
        return ""
    text = f"{rate.share:.3f} +- {rate.error:.3f}"
    return text if rate.is_level or not is_null else f"**{text}**"


def describe_separate(rows: Sequence[ReplicationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "separate"]
    if not own:
        return
    yield from ("", "## A separate group, or the end of a gradient", "")
    yield (
        f"The first table has a group of {FIRST_MEMBERS} of {SMALL_ROWS} rows, shifted by "
        f"{BASE['shift']:g} in {N_OWN} of {SMALL_COLUMNS} columns. In the second these columns "
        "share a gradient of so many standard deviations, are in a block of correlated columns "
        f"(in both tables), or have a group shifted by {SECOND_SHIFT:g}. Share of pairs with "
        f"p <= {LEVEL:g} of the third answer, with its standard error, and share in which the "
        "pattern is found again, which does not ask for a group. Bold are gradients with more "
        f"than {LEVEL:g} and {N_ERRORS} standard errors."
    )
    lines = [
        (
            WORDS[row.table],
            f"{row.n_pairs}",
            _rate(row.separate, not row.table.startswith("group")),
            "" if row.judged is None else f"{row.judged:.2f}",
        )
        for row in own
    ]
    yield from ("", *markdown_table(("", "pairs", "separate", "found again"), lines))


def describe_list(rows: Sequence[ReplicationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    for row in rows:
        if row.section == "list":
            yield from ("", "## Twenty patterns, of which the first three are real", "")
            yield (
                f"In {row.n_pairs} pairs, any other pattern is found again in {row.wrong:.3f}, "
                f"and all three are in {row.right:.3f}."
            )


def describe_power(rows: Sequence[ReplicationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "power"]
    if not own:
        return
    yield from ("", "## A planted group", "")
    yield (
        f"Both tables have 100 rows and 1,000 columns; {BASE['share']:.0%} of the rows are shifted "
        f"by {BASE['shift']:g} standard deviations in 10 columns. One thing is changed at a time. "
        "*Found*: share of pairs in which the group is found again. The others are balanced "
        "accuracies of its members: by `carriers` with three references; by k-means in the same "
        "columns; by the mean of its columns, cut at the median; and by the group of a new search "
        "that shares most columns (*same*: how often it shares 30 %)."
    )
    ways = ("cohort", "row", "training", "k-means", "median cut", "new search", "same columns")
    head = ("", "found", *(way.replace("same columns", "same") for way in ways))
    lines = []
    for row in own:
        found = row.tied if row.table.startswith("hazard") else row.judged
        cells = [f"{row.accuracy[way]:.2f}" if way in row.accuracy else "" for way in ways]
        name = WORDS.get(row.table) or row.table.replace("-", " ")
        lines.append((name, "" if found is None else f"{found:.2f}", *cells))
    yield from ("", *markdown_table(head, lines))
    if _panels(rows):
        yield from ("", f"![Share of planted groups that are found again]({PLOT})")


def describe_cohorts(rows: Sequence[ReplicationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "cohorts"]
    if not own:
        return
    yield from ("", "## Three cohorts of breast cancer, three platforms", "")
    yield (
        "The group that is nearest to the tumours without oestrogen receptor in one cohort, in "
        "another: is it found again, and the balanced accuracy of its members."
    )
    ways = list(dict.fromkeys(way for row in own for way in row.accuracy if way != "same columns"))
    lines = [
        (
            row.table.replace("-", " to "),
            "yes" if row.judged else "no",
            *(f"{row.accuracy[way]:.2f}" if way in row.accuracy else "" for way in ways),
        )
        for row in own
    ]
    means = []
    for way in ways:
        known = [row.accuracy[way] for row in own if way in row.accuracy]
        means.append(f"**{sum(known) / len(known):.3f}**" if known else "")
    share = sum(bool(row.judged) for row in own)
    lines.append(("mean", f"{share} of {len(own)}", *means))
    yield from ("", *markdown_table(("", "found", *ways), lines))


def plot(rows: Sequence[ReplicationRow]) -> dict[str, str]:
    """Draw the share of groups that are found again, against what was changed."""
    panels = _panels(rows)
    return {PLOT: panels_svg(panels, y="share found again")} if panels else {}


def _panels(rows: Sequence[ReplicationRow]) -> list[Panel]:
    """One for each curve all of whose points were run."""
    by_table = {row.table: row.judged for row in rows if row.section == "power"}
    panels = []
    for name, values in CURVES.items():
        points = ["base" if value == BASE[name] else f"{name}-{value:g}" for value in values]
        found = [by_table[point] for point in points if by_table.get(point) is not None]
        shares = [share for share in found if share is not None]
        if len(shares) == len(values):
            panels.append(Panel({"found again": shares}, [f"{v:g}" for v in values], TITLES[name]))
    return panels
