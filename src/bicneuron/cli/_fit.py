"""``bicneuron fit``."""

import shlex
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import Answer, answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, is_special, writing
from bicneuron.cli._progress import unless_first_run
from bicneuron.cli._settings import make_model
from bicneuron.cli._training import read_training_table

# Patterns that are told one by one, and columns named of each.
MOST_PATTERNS, MOST_COLUMNS = 10, 6
# The fewest orders of the labels with which p = 0.05 can be reached, and the most rows for which
# they are tried without being asked for.
PERMUTATIONS, MOST_ROWS = 19, 2000

# The most features that are named in the header of a model file, besides in the model.
MOST_NAMES = 2000
# Suffixes of model files, as bicneuron.persistence knows them.
FORMATS = (".skops", ".onnx")


class Kind(StrEnum):
    """What --model takes."""

    readable = "readable"
    accurate = "accurate"
    neuron = "neuron"
    neuron_cv = "neuron-cv"


def fit(
    context: typer.Context,
    table: options.TableFile,
    target: options.Target,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="MODEL",
            help="Model file: .skops or .onnx (cannot be read back).",
            show_default=False,
        ),
    ],
    model: Annotated[
        Kind,
        typer.Option(
            help="A network of a few readable patterns, a large and accurate network, the single "
            "neuron of the paper, or the same with its parameters searched."
        ),
    ] = Kind.readable,
    strata: options.Strata = None,
    groups: options.Groups = None,
    drop: options.Drop = None,
    id_column: options.IdColumn = None,
    settings: options.Settings = None,
    folds: Annotated[
        int,
        typer.Option(
            help="Folds of the cross-validation that scores the model; 0 leaves it out.", min=0
        ),
    ] = 5,
    permutations: Annotated[
        int | None,
        typer.Option(
            help="Fits to shuffled classes that the patterns are tested against; 0 for none.  "
            "[default: 19; none for neuron-cv, --folds 0, --quiet or more than 2,000 rows]",
            min=0,
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    transpose: options.Transpose = None,
    phenotype: options.Phenotype = None,
    genes: options.Genes = None,
    probes: options.Probes = None,
    log: options.Log = False,
    decimal: options.Decimal = None,
    dates: options.Dates = None,
    strict: options.Strict = False,
    layer: options.Layer = None,
    max_memory: options.MaxMemory = None,
    force: options.Replace = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit a model to a table, save it and score it.

    Columns of yes and no, of categories and of dates, and numbers with units or marks between
    thousands are turned into numbers, aloud; predict does the same to new tables. --strict refuses
    them instead, --drop leaves columns out.
    The score is the balanced accuracy of copies of the model on rows left out, by shuffled
    cross-validation, beside logistic regression on the same folds. It takes up to ten times as
    long as the fit (five times for neuron-cv). The model is saved before.

    The patterns are tested: the model is fitted again to shuffled classes, and a pattern is better
    than chance if hardly any of these fits has one that is as clear. It stops early if there is
    nothing. 19 fits are a quick check, 199 or more make p precise. The result is saved in a .skops
    file and shown by bicneuron explain. Patterns that only follow the batch are not better than
    chance with --strata batch. --groups patient keeps the rows of a patient together, in the test
    and in the folds of the score.

    \b
    Examples:
      bicneuron fit patients.csv --target diagnosis -o model.skops
      bicneuron fit patients.xlsx --target diagnosis --drop age,sex --model accurate -o model.skops
      bicneuron fit cells.h5ad --target cell_type --layer log1p --folds 0 -o model.skops
      bicneuron fit genes.gct --phenotype pheno.csv --id sample --target class --log -o m.skops
      bicneuron fit genes.csv --target class --permutations 199 --strata batch -o model.skops
      bicneuron fit genes.csv --target class --model neuron --set max_ratio=0.5 -o model.skops
    """
    with answering(as_json, quiet, "bicneuron.tables") as answer:
        if not output.suffix and not output.is_dir() and not is_special(output):
            output = output.with_suffix(".skops")
        check_free(output, force=force, inputs=(table,))
        _check_suffix(output, model)
        if folds == 1:
            raise CommandError(
                "--folds 1 leaves nothing to test on; take at least 2, or 0 for none."
            )
        read = read_training_table(
            answer,
            table,
            target=target,
            id_column=id_column,
            drop=drop,
            layer=layer,
            strata=strata,
            groups=groups,
            transpose=transpose,
            phenotype=phenotype,
            genes=genes,
            probes=probes,
            log=log,
            decimal=decimal,
            dates=dates,
            strict=strict,
            max_memory=max_memory,
            keep_missing=True,
        )
        assert read.labels is not None  # a target was asked for
        # What is wrong with options and tables was told before all this is loaded.
        answer.load("bicneuron.persistence", "bicneuron.network")
        from bicneuron._estimators._workers import start_workers
        from bicneuron.persistence import save_model
        from bicneuron.tables import steps_to_json

        estimator = make_model(model, settings, seed=seed, n_jobs=jobs or -1)
        with answer.working(unless_first_run("fitting")), refusing_bad_values():
            if model is not Kind.neuron:  # the others run in processes
                start_workers(jobs or -1)
            estimator.fit(read.features, read.labels)
        estimator.set_params(n_jobs=None)  # a matter of the machine, not of the model
        about = {
            "target": target,
            "id": read.id_column,
            "dropped": list(read.dropped),
            "command": shlex.join(["bicneuron", *context.obj]),
            "table": table.name,
            "n_rows": len(read.features),
            "layer": layer,
            "genes": genes,
            "transpose": transpose,
            "steps": steps_to_json(read.steps),
            "features": _few_names(read.features.columns.tolist()),
        }
        with writing(output):
            save_model(estimator, output, about=about, overwrite=force)
        is_told = as_json or not quiet
        if permutations is None:
            quick = folds and is_told and model is not Kind.neuron_cv
            permutations = PERMUTATIONS if quick and len(read.features) <= MOST_ROWS else 0
        if permutations:
            estimator = _test(answer, estimator, read, permutations, seed, jobs or -1)
            if output.suffix.lower() == ".skops":
                with writing(output):
                    save_model(estimator, output, about=about, overwrite=True)
        counts: Counter[Any] = Counter(read.labels.tolist())
        answer.tell(
            f"{len(read.features)} rows, {read.features.shape[1]} features; "
            f"{', '.join(f'{label}: {n}' for label, n in sorted(counts.items()))}",
            *_patterns(estimator),
            f"wrote {output}",
            output=str(output),
            model=type(estimator).__name__,
            n_rows=len(read.features),
            n_features=read.features.shape[1],
            classes=dict(sorted(counts.items())),
            id=read.id_column,
            dropped=read.dropped,
            steps=steps_to_json(read.steps),
            patterns=_pattern_records(estimator),
        )
        if folds and is_told:
            _score(answer, estimator.set_params(n_jobs=jobs or -1), read, folds)


def _test(
    answer: Answer, estimator: Any, read: Any, permutations: int, seed: int, n_jobs: int
) -> Any:
    """Tell whether there is anything better than chance; the model with what was found out."""
    from bicneuron.report._model import deciding_patterns
    from bicneuron.significance import significance_test, with_evidence

    with answer.counting("testing", "shuffles") as after_searches, refusing_bad_values():
        result = significance_test(
            estimator,
            read.features,
            read.labels,
            strata=read.aside.get("strata"),
            groups=read.aside.get("groups"),
            n_permutations=permutations,
            n_jobs=n_jobs,
            random_state=seed,
            after_searches=after_searches,
        )
    tested = with_evidence(estimator, result)
    answer.tell(
        result.summary(),
        significance={
            "summary": result.summary(),
            "n_permutations": result.n_permutations,
            "patterns": [pattern.evidence.record for pattern in deciding_patterns(tested)],
        },
    )
    return tested


def _score(answer: Answer, estimator: Any, read: Any, folds: int) -> None:
    """Tell how well copies of the model do on rows left out, or why that cannot be told."""
    from bicneuron.metrics import cross_validated_scores

    try:
        with answer.counting("scoring", "folds") as after_fold:
            scores = cross_validated_scores(
                estimator,
                read.features,
                read.labels,
                groups=read.aside.get("groups"),
                n_splits=folds,
                after_fold=after_fold,
            )
    except ValueError as error:
        answer.tell(f"not scored: {error}", scores=None, not_scored=str(error))
        return
    chance = _no_better(scores, read.target)
    answer.tell(
        *chance,
        *str(scores).splitlines(),
        scores=scores.to_dict(),
        no_better_than_majority=bool(chance),
    )


def _no_better(scores: Any, target: str) -> list[str]:
    """In words, that the model is no better than the largest class, and what to try."""
    floor = scores.majority_balanced_accuracy
    if scores.model["balanced_accuracy"].low > floor:
        return []
    if scores.logistic_regression["balanced_accuracy"].low > floor:
        way_out = "logistic regression is: try --model accurate, or take logistic regression"
    else:
        way_out = (
            f"neither is logistic regression: try more rows or other columns, and check that "
            f"{target!r} is the right target"
        )
    return [f"on rows left out this model is no better than always naming one class; {way_out}."]


def _few_names(names: list[str]) -> list[str] | None:
    """Names of features that predict checks before it loads the model; None if there are many."""
    return names if len(names) <= MOST_NAMES else None


def _check_suffix(output: Path, model: Kind) -> None:
    suffix = output.suffix.lower()
    if suffix not in FORMATS:
        raise CommandError(f"{output} must end in {', '.join(FORMATS)}; name a model file with -o.")


def _patterns(estimator: Any) -> list[str]:
    """What the model found, in a few lines."""
    names = estimator.feature_names_in_
    if hasattr(estimator, "patterns_"):
        patterns = estimator.patterns_
        lines = [f"{len(patterns)} patterns"]
        if len(patterns) <= MOST_PATTERNS:
            for pattern in patterns:
                share = f"{100 * pattern.contribution:.0f} %"
                others = f"of {pattern.contrast_class}"
                told = _pair(pattern.pair, names[pattern.ranked_columns], others)
                lines += [f"{share:>5}: {told}", *_evidence(pattern)]
        return lines
    return [
        line
        for _, binary in estimator.binary_models()
        if (pair := binary.selected_pair_) is not None
        for line in (
            f"pattern: {_pair(pair, names[pair.columns])}",
            f"         {binary.row_share_:.0%} of the rows of {pair.anchor_class} and "
            f"{binary.column_share_:.0%} of the columns",
            *_evidence(pair),
        )
    ]


def _pattern_records(estimator: Any) -> list[dict[str, Any]]:
    """The same for scripts, all patterns and columns."""
    from bicneuron.report._model import deciding_patterns

    names = estimator.feature_names_in_
    records = []
    for pattern in getattr(estimator, "patterns_", None) or deciding_patterns(estimator):
        pair = getattr(pattern, "pair", pattern)
        columns = getattr(pattern, "ranked_columns", pair.columns)
        records.append(
            {
                "class": pair.anchor_class,
                "contrast_class": getattr(pattern, "contrast_class", None),
                "contribution": getattr(pattern, "contribution", None),
                "n_rows": len(pair.anchor_rows),
                "n_contrast_rows": len(pair.contrast_rows),
                "columns": names[columns],
                "evidence": None if pattern.evidence is None else pattern.evidence.record,
            }
        )
    return records


def _evidence(pattern: Any) -> list[str]:
    """What a test said about it, under it."""
    return [] if pattern.evidence is None else [f"       {pattern.evidence}"]


def _pair(pair: Any, names: Any, others: str = "others") -> str:
    shown = ", ".join(names[:MOST_COLUMNS]) + (", ..." if len(names) > MOST_COLUMNS else "")
    return (
        f"{len(pair.anchor_rows)} rows of {pair.anchor_class} against "
        f"{len(pair.contrast_rows)} {others} in {len(names)} columns: {shown}"
    )
