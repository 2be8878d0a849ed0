"""Read the table that a model learns from, or a model and a table for it."""

import math
import shlex
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._answer import Answer
from bicneuron.cli._messages import CommandError
from bicneuron.cli._options import split_names

if TYPE_CHECKING:
    from bicneuron.significance import Findings
    from bicneuron.tables import Table

# Names that --read takes, and the values that some of them have.
_FLAGS = dict.fromkeys(("transpose", "log", "strict"), ("yes", "no"))
_CHOICES = {
    "decimal": ("point", "comma"),
    "dates": ("day-first", "month-first"),
    "probes": ("highest", "mean"),
    **_FLAGS,
}
# What other values must be.
_MUST = {
    "merge": "needs two names, as in --read merge=relaps=relapse",
    "cut": "needs a column and numbers, as in --read cut=age=50,65",
    "max_memory": "must be a number of GB",
    **{name: f"must be {' or '.join(words)}" for name, words in _CHOICES.items()},
}
READ_NAMES = ("missing", "keep", "merge", "cut", "genes", "layer", *_CHOICES, "max_memory")


def how_to_read(
    read: Sequence[str] | None,
    id_column: str | None = None,
    phenotype: Path | None = None,
    drop: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Arguments of `bicneuron.tables.read_table` that the options of a command give."""
    left_out = split_names(",".join(drop or ()))
    given: dict[str, Any] = {"id_column": id_column, "phenotype": phenotype, "drop": left_out}
    given |= {"missing": [], "keep": [], "merge": {}}
    for setting in read or ():
        before, sign, value = setting.partition("=")
        name, value = before.strip().replace("-", "_"), value.strip()
        if name not in READ_NAMES or not sign or not value:
            raise CommandError(
                f"--read {setting!r} must be NAME=VALUE, with one of {', '.join(READ_NAMES)}."
            )
        if name in ("missing", "keep"):
            given[name] += split_names(value)
        elif name == "merge":
            given[name] |= _read_value(name, value)
        else:
            given[name] = _read_value(name, value)
    return given


def _read_value(name: str, value: str) -> Any:
    """A value of --read, converted."""
    key, _, rest = (part.strip() for part in value.rpartition("="))
    try:
        if name not in _MUST:
            return value
        if name == "merge" and key and rest:
            return {key: rest}
        if name == "cut" and key:
            limits = [float(limit) for limit in rest.split(",")]
            if all(map(math.isfinite, limits)):
                return {key: limits}
        if name == "max_memory":
            return float(value)
        if value in _CHOICES.get(name, ()):
            return value == "yes" if name in _FLAGS else value
    except ValueError:  # not a number
        pass
    raise CommandError(f"--read {name}={value} {_MUST[name]}.")


def read_training_table(
    answer: Answer,
    table: Path,
    target: str | None,
    reading: Mapping[str, Any],
    strata: Sequence[str] | None,
    groups: str | None,
    covariates: Sequence[str] | None = None,
) -> "Table":
    """Read a table to learn from, and print what was guessed and changed."""
    from bicneuron.tables import read_table

    roles = {"covariates": covariates or (), "keep": reading["keep"]}
    aside = set_aside(strata, groups, target, reading["id_column"], **roles)
    check_roles({"drop": reading["drop"], "keep": reading["keep"]}, None, None)
    with answer.working("reading"):
        read = read_table(
            table,
            target=target,
            **aside,
            covariates=covariates or (),
            keep_missing=True,
            **reading,
        )
    answer.tell(read)
    return read


def set_aside(
    strata: Sequence[str] | None,
    groups: str | None,
    target: str | None,
    id_column: str | None,
    **others: Sequence[str],
) -> dict[str, Any]:
    """Arguments of `read_table` for --strata and --groups; no column may have two roles."""
    of_groups = () if groups in (None, "none") else (str(groups),)
    aside = {"strata": tuple(strata or ()), "groups": of_groups}
    check_roles({**aside, **others}, target, id_column)
    named = {use: names for use, names in aside.items() if names}
    return {"aside": named, "guess_groups": groups != "none"}


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
        "dropped": list(read.dropped),
        "n_rows": len(read.features),
        **{name: reading.get(name) for name in ("layer", "genes", "transpose")},
        "covariates": [] if read.covariates is None else [*read.covariates.columns],
        "command": shlex.join(["bicneuron", *arguments]),
        "table": table.name,
    }


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
    **read_options: Any,
) -> tuple[Any, dict[str, Any], Any]:
    """Load a file of "models", "groups" or "both", what it says, and a table as of the fit."""
    from bicneuron.tables import check_readable, read_table

    if table is not None and table.suffix.lower() == ".skops" != model.suffix.lower():
        raise CommandError(f"{table} is not a table; the model comes first, and then the table.")
    model.stat()  # files that do not exist are refused before what takes long to load
    if table is not None:
        check_readable(table)
    answer.load("bicneuron.persistence")
    from bicneuron._shared._checks import takes_missing
    from bicneuron.persistence import load_about, load_model
    from bicneuron.tables._encoder import apart
    from bicneuron.tables._encoding import Encoding

    with answer.working("reading"):
        encoder, estimator = apart(load_model(model))
        _check_kind(estimator, model, takes)
        about = load_about(model)["about"]
        if encoder is not None:
            about["changes"] = encoder.notes_
        if table is None:
            return estimator, about, None
        names = getattr(estimator, "feature_names_in_", None)
        encoding = Encoding(features=None if names is None else (*names.tolist(),))
        given = {**reading, "id_column": reading["id_column"] or about.get("id")}
        for name in ("layer", "genes"):
            given.setdefault(name, about.get(name))
        if about.get("transpose") is False:  # a guess that was wrong in the fit is wrong again
            given.setdefault("transpose", False)
        given |= {"target": about.get("target"), "keep_missing": takes_missing(estimator)}
        encoding = encoding if encoder is None else encoder.encoding_
        read = read_table(table, encoder=encoding, **{**given, **read_options})
    answer.tell(read)
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
