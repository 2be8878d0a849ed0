"""Read the table that a model learns from, or a model and a table for it."""

import re
import shlex
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._answer import Answer
from bicneuron.cli._messages import CommandError
from bicneuron.cli._options import READ_EXAMPLES, split_names

if TYPE_CHECKING:
    from bicneuron.significance import Findings
    from bicneuron.tables import Table

_MOST_SHOWN = 200  # columns, on a page
_SETTING = re.compile(
    "(missing|keep|numbers|classes|layer)=.+|(transpose|log)=(yes|no)|merge=.[^=]*=.+|decimal=(point|comma)"
)


def how_to_read(
    read: Sequence[str] | None,
    id_column: str | None = None,
    phenotype: Path | None = None,
    drop: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Arguments of `bicneuron.tables.read_table` that the options of a command give."""
    from bicneuron.tables import Settings

    left_out = split_names(",".join(drop or ()))
    own = {"id_column": id_column, "phenotype": phenotype, "drop": left_out}
    given: dict[str, Any] = {"missing": [], "keep": [], "numbers": [], "classes": [], "merge": {}}
    for word in read or ():
        name, _, value = (part.strip() for part in word.partition("="))
        if not _SETTING.fullmatch(f"{name}={value}"):
            raise CommandError(f"--read {word} is none of {READ_EXAMPLES}.")
        if name in ("missing", "keep", "numbers", "classes"):
            given[name] += split_names(value)
        elif name == "merge":
            key, _, last = value.rpartition("=")
            given[name][key.strip()] = last.strip()
        else:
            given[name] = value == "yes" if name in ("transpose", "log") else value
    return {**own, "settings": Settings(**given)}


def read_training_table(  # how a table is used
    answer: Answer,
    table: Path,
    target: str | None,
    reading: Mapping[str, Any],
    aside: Mapping[str, Sequence[str]],
    *,
    takes_numbers: bool = False,
    show: bool = False,
) -> "Table":
    """Read a table to learn from, and print what was read and guessed."""
    from bicneuron.tables import read_table

    keep = reading["settings"].keep
    check_roles({**aside, "keep": keep}, target, reading["id_column"])
    check_roles({"drop": reading["drop"], "keep": keep}, None, None)
    with answer.working("reading"):
        how = {**reading, "takes_numbers": takes_numbers}
        read = read_table(table, target=target, aside=aside, **how)
    answer.tell(read, show=show)
    return read


def set_aside(
    strata: Sequence[str] | None,
    groups: str | None,
    covariates: Sequence[str] | None = None,
    survival: Sequence[str] | None = None,
    given: str | None = None,
) -> dict[str, Sequence[str]]:
    """Columns that are not features, by their use, as `read_table` takes them."""
    uses = {"strata": strata, "covariates": covariates, "outcome": survival}
    named: dict[str, Sequence[str]] = {use: tuple(names) for use, names in uses.items() if names}
    named |= {} if given is None else {"given": (given,)}
    # Empty, they are not guessed.
    return named if groups is None else {**named, "groups": () if groups == "none" else (groups,)}


def survival_columns(
    target: str | None, time: str | None, event: str | None
) -> tuple[str, str] | None:
    """The columns of survival; refuse one without the other, or beside a target."""
    if time is None or event is None:
        if time != event:
            raise CommandError("give --time with --event, the columns of survival.")
        return None
    if target is not None:
        raise CommandError(
            "give --target, or --time with --event: groups are tested by one of them at a time."
        )
    if time == event:
        raise CommandError(f"--time and --event both name {time!r}; choose another column.")
    return time, event


def labels_or_outcome(read: "Table") -> Any:
    """What groups are tied to: classes, numbers or survival; None for nothing."""
    from bicneuron.outcomes import Numbers, Survival, as_outcome

    if read.outcome is None:
        labels: Any = read.labels  # numbers that are named as classes are words
        return labels if as_outcome(labels) is None else labels.astype(str)
    names = [str(name) for name in read.outcome.columns]
    columns = read.outcome.to_numpy().T
    if len(names) == 1:
        return Numbers(columns[0], name=names[0])
    time, event = columns
    return Survival(time, event, name=names[0], event_name=names[1])


def check_roles(
    roles: Mapping[str, Sequence[str]], target: str | None, id_column: str | None
) -> None:
    """Refuse a column that has two roles."""
    taken: dict[str | None, str] = {target: "target", id_column: "id"}
    for option, columns in roles.items():
        for column in columns:
            other = taken.setdefault(column, option)
            if other != option:
                raise CommandError(
                    f"--{option} and --{other} both name {column!r}; choose another column."
                )


def about_fit(
    arguments: Sequence[str], table: Path, read: "Table", reading: Mapping[str, Any]
) -> dict[str, Any]:
    """The command and properties of the table, for the header of the model file."""
    return {
        "target": read.target,
        "id": read.id_column,
        "dropped": left_out(read),
        "n_rows": len(read.features),
        **{name: getattr(reading["settings"], name) for name in ("layer", "transpose")},
        "read": read.summary,
        "reading": read.shown(_MOST_SHOWN),
        "covariates": [] if read.covariates is None else [*read.covariates.columns],
        "command": shlex.join(["bicneuron", *arguments]),
        "table": table.name,
    }


def left_out(read: "Table") -> list[str]:
    """Columns that were left out."""
    return [str(name) for name in read.reading.index[read.reading["kind"] == "left out"]]


def reading_first(read: "Table", estimator: Any) -> Any:
    """A pipeline that reads tables as this one was read, and then asks the model."""
    from sklearn.pipeline import Pipeline

    return Pipeline([("table", read.encoder), ("model", estimator)])


def load_with_table(
    answer: Answer,
    model: Path,
    table: Path | None,
    reading: Mapping[str, Any],
    takes: str,
    *,
    show: bool = False,
    **read_options: Any,
) -> tuple[Any, dict[str, Any], Any]:
    """Load a file of "models", "groups" or "both", what it says, and a table as of the fit."""
    from bicneuron.tables import read_table
    from bicneuron.tables._files import check_readable

    if table is not None and table.suffix.lower() == ".skops" != model.suffix.lower():
        raise CommandError(f"{table} is not a table; the model comes first, and then the table.")
    model.stat()  # files that do not exist are refused before what takes long to load
    if table is not None:
        check_readable(table)
    answer.load("bicneuron.persistence")
    from bicneuron.persistence import load_about, load_model
    from bicneuron.tables._encoder import apart
    from bicneuron.tables._encoding import Encoding

    with answer.working("reading"):
        encoder, estimator = apart(load_model(model))
        _check_kind(estimator, model, takes)
        about = load_about(model)["about"]
        if table is None:
            return estimator, about, None
        names = getattr(estimator, "feature_names_in_", None)
        encoding = Encoding(features=None if names is None else (*names.tolist(),))
        settings = reading["settings"]
        of_fit = {} if settings.layer else {"layer": about.get("layer")}
        if settings.transpose is None and about.get("transpose") is False:
            of_fit["transpose"] = False  # a guess that was wrong in the fit is wrong again
        given = {**reading, "id_column": reading["id_column"] or about.get("id")}
        given |= {"target": about.get("target"), "settings": replace(settings, **of_fit)}
        encoding = encoding if encoder is None else encoder.encoding_
        read = read_table(table, encoder=encoding, **{**given, **read_options})
    answer.tell(read, show=show)
    return estimator, about, read


def _check_kind(held: Any, path: Path, takes: str) -> None:
    """Refuse what a command does not take, before a table is read for it."""
    from bicneuron.significance import Findings

    kind, is_of_groups = type(held).__name__, isinstance(held, Findings)
    if takes == "groups" and not is_of_groups:
        raise CommandError(
            f"{path} holds a {kind}; replicate takes a file of groups (find -o groups.skops)."
        )
    if not hasattr(held, "predict") and not (is_of_groups and takes != "models"):
        kind = type(held[-1]).__name__ if hasattr(held, "steps") else kind
        raise CommandError(
            f"{path} holds a {kind}, which does not predict; name the file of a classifier, or "
            "use bicneuron find to write the patterns of a table."
        )
    if is_of_groups and not held.patterns:
        raise CommandError(f"{path} has no groups; nothing was written.")


def with_findings(answer: Answer, findings: "Findings") -> "Findings":
    """Return proven patterns only, if there are any."""
    from bicneuron._shared._formats import counted
    from bicneuron.patterns import proven_patterns

    proven = proven_patterns(findings.patterns)
    n_others = len(findings.patterns) - len(proven)
    if not n_others or not (proven or any(not_proven(findings.patterns))):
        return findings
    if not proven:
        answer.note(["no pattern of this file is proven; all are included"])
        return findings
    answer.note([f"{counted(n_others, 'unproven pattern')} left out; use --all to include all"])
    miner = copy(findings.miner)
    miner.patterns_ = [replace(pattern, parent=None) for pattern in proven]
    return replace(findings, miner=miner, scores=findings.scores[: len(proven)])


def not_proven(patterns: Sequence[Any]) -> list[bool]:
    """For each group, whether tests left it unproven; never where nothing was tested."""
    evidence = [one.evidence for one in patterns]
    is_tested = any(one is not None and one.is_tested for one in evidence)
    return [is_tested and not (one is not None and one.is_finding) for one in evidence]
