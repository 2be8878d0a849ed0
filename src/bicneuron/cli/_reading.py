"""Read the table that a model learns from, or a model and a table for it."""

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
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
    from bicneuron.tables._encoding import Encoding

# What --groups is where rows with a common stem of their ids are independent.
NO_GROUPS = "none"
# Names that --read takes, by what their values are.
_LISTS, _FLAGS = ("missing", "keep"), dict.fromkeys(("transpose", "log", "strict"), ("yes", "no"))
_CHOICES = {
    "decimal": ("point", "comma"),
    "dates": ("day-first", "month-first"),
    "probes": ("highest", "mean"),
    **_FLAGS,
}
READ_NAMES = (*_LISTS, "merge", "cut", "genes", "layer", *_CHOICES, "max_memory")


def how_to_read(
    read: Sequence[str] | None,
    id_column: str | None = None,
    phenotype: Path | None = None,
    drop: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Arguments of `bicneuron.tables.read_table` that the options of a command give."""
    lists: dict[str, list[str]] = {name: [] for name in _LISTS}
    merge: dict[str, str] = {}
    given: dict[str, Any] = {}
    for setting in read or ():
        before, sign, value = setting.partition("=")
        name = before.strip().replace("-", "_")
        if name not in READ_NAMES or not sign or not value.strip():
            raise CommandError(
                f"--read {setting!r} must be NAME=VALUE, with one of {', '.join(READ_NAMES)}."
            )
        if name in _LISTS:
            lists[name] += split_names(value)
        elif name == "merge":
            merge |= [_pair(value)]
        else:
            given[name] = _read_value(name, value.strip())
    left_out = split_names(",".join(drop or ()))
    names = {"id_column": id_column, "phenotype": phenotype, "drop": left_out}
    return {**names, **lists, "merge": merge, **given}


def _read_value(name: str, value: str) -> Any:
    """A value of --read, converted."""
    if name == "cut":
        return _limits(value)
    if name == "max_memory":
        try:
            return float(value)
        except ValueError as error:
            raise CommandError(f"--read max_memory={value} must be a number of GB.") from error
    if value not in _CHOICES.get(name, (value,)):
        raise CommandError(f"--read {name}={value} must be {' or '.join(_CHOICES[name])}.")
    return value == "yes" if name in _FLAGS else value


def _pair(given: str) -> tuple[str, str]:
    """Split CLASS=OTHER at the last sign."""
    name, _, value = given.rpartition("=")
    if not (name.strip() and value.strip()):
        raise CommandError(
            f"--read merge={given} needs two names, as in --read merge=relaps=relapse."
        )
    return name.strip(), value.strip()


def _limits(given: str) -> dict[str, list[float]]:
    """The column and the limits of a cut."""
    column, _, limits = given.rpartition("=")
    try:
        numbers = [float(limit) for limit in limits.split(",")]
    except ValueError:
        numbers = []
    if not column or not all(map(math.isfinite, numbers)) or not numbers:
        raise CommandError(
            f"--read cut={given} needs a column and numbers, as in --read cut=age=50,65."
        )
    return {column.strip(): numbers}


def read_training_table(
    answer: Answer,
    table: Path,
    target: str | None,
    *,
    reading: Mapping[str, Any],
    strata: Sequence[str] | None,
    groups: str | None,
    covariates: Sequence[str] = (),
) -> "Table":
    """Read a table to learn from, and print what was guessed and changed."""
    from bicneuron.tables import read_table

    aside, keep = set_aside(strata, groups), reading["keep"]
    check_roles({**aside, "covariates": covariates, "keep": keep}, target, reading["id_column"])
    check_roles({"drop": reading["drop"], "keep": keep}, None, None)
    with answer.working("reading"):
        read = read_table(
            table,
            target=target,
            aside={use: names for use, names in aside.items() if names},
            covariates=covariates,
            keep_missing=True,
            guess_groups=groups != NO_GROUPS,
            **reading,
        )
    answer.tell(read)
    return read


def set_aside(strata: Sequence[str] | None, groups: str | None) -> dict[str, tuple[str, ...]]:
    """Columns that --strata and --groups name."""
    return {
        "strata": tuple(strata or ()),
        "groups": () if groups in (None, NO_GROUPS) else (str(groups),),
    }


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


def load_with_table(
    answer: Answer,
    model: Path,
    table: Path | None,
    reading: Mapping[str, Any],
    *,
    loading: Sequence[str],
    check: Callable[[Any, Path], None],
    **read_options: Any,
) -> tuple[Any, dict[str, Any], "Table | None"]:
    """Load a model that ``check`` takes, what its file says, and a table; print what was guessed.

    The table is read first if the file says how, so that a bad table is refused at once.
    """
    from bicneuron.persistence._archive import early_about, early_encoding
    from bicneuron.tables import check_readable

    if table is not None and table.suffix.lower() == ".skops" != model.suffix.lower():
        raise CommandError(f"{table} is not a table; the model comes first, and then the table.")
    model.stat()  # files that do not exist are refused before what takes long to load
    if table is not None:
        check_readable(table)
    read, about, encoding = None, early_about(model), early_encoding(model)
    if table is not None and about is not None and encoding is not None:
        with answer.working("reading"):
            read = _read(table, about, reading, encoding, True, read_options)
    answer.load("bicneuron.persistence", *loading)
    from bicneuron._shared._checks import takes_missing
    from bicneuron.persistence import load_about, load_model
    from bicneuron.tables._encoder import apart
    from bicneuron.tables._encoding import Encoding

    with answer.working("reading"):
        encoder, estimator = apart(load_model(model))
        check(estimator, model)
        about = load_about(model)["about"] if about is None else about
        if encoder is not None:
            about["changes"] = encoder.notes_
        if table is None:
            return estimator, about, None
        if read is None:
            names = getattr(estimator, "feature_names_in_", None)
            encoding = Encoding(features=None if names is None else (*names.tolist(),))
            encoding = encoding if encoder is None else encoder.encoding_
            read = _read(table, about, reading, encoding, takes_missing(estimator), read_options)
    answer.tell(read)
    return estimator, about, read


def check_predicts(estimator: Any, model: Path) -> None:
    """Refuse a miner, or a pipeline that ends in one: model files may hold them too."""
    if not hasattr(estimator, "predict"):
        last = estimator[-1] if hasattr(estimator, "steps") else estimator
        raise CommandError(
            f"{model} holds a {type(last).__name__}, which does not predict; name the file of a "
            "classifier, or use bicneuron find to write the patterns of a table."
        )


def check_has_findings(findings: Any, model: Path) -> None:
    """Refuse a file that is not of findings, before a table is read for it."""
    from bicneuron.significance import Findings

    if not isinstance(findings, Findings):
        raise CommandError(
            f"{model} holds a {type(findings).__name__}; replicate takes a file of groups (find -o "
            "groups.skops)."
        )


def with_findings(answer: Answer, findings: "Findings") -> "Findings":
    """Return proven patterns only, if there are any and they come first."""
    from bicneuron._shared._formats import counted
    from bicneuron.patterns import proven_patterns

    patterns = findings.patterns
    proven = proven_patterns(patterns)
    others = [number for number, one in enumerate(patterns, start=1) if one not in proven]
    if not others or not (proven or any(not_proven(patterns))):
        return findings
    if not proven:
        answer.note(["no pattern of this file is proven; all are included"])
        return findings
    if others[0] <= len(proven):  # patterns keep their numbers
        answer.note([f"included though not proven: patterns {', '.join(map(str, others))}"])
        return findings
    answer.note([f"{counted(len(others), 'unproven pattern')} left out; use --all to include all"])
    miner = copy(findings.miner)
    miner.patterns_ = [replace(pattern, parent=None) for pattern in proven]
    return replace(findings, miner=miner, scores=findings.scores[: len(proven)])


def not_proven(patterns: Sequence[Any]) -> list[bool]:
    """For each group, whether tests left it unproven; never where nothing was tested."""
    evidence = [None if one.neuron is not None else one.evidence for one in patterns]
    is_tested = any(one is not None and one.is_tested for one in evidence)
    return [is_tested and not (one is not None and one.is_finding) for one in evidence]


def _read(
    table: Path,
    about: Mapping[str, Any],
    reading: Mapping[str, Any],
    encoding: "Encoding",
    keep_missing: bool,
    read_options: Mapping[str, Any],
) -> "Table":
    """Read a table as the one that the model was fitted on."""
    from bicneuron.tables import read_table

    options = {**reading, "id_column": reading["id_column"] or about.get("id")}
    for name in ("layer", "genes"):
        options.setdefault(name, about.get(name))
    if about.get("transpose") is False:  # a guess that was wrong in the fit is wrong again
        options.setdefault("transpose", False)
    options |= {"target": about.get("target"), "keep_missing": keep_missing, **read_options}
    return read_table(table, encoder=encoding, **options)
