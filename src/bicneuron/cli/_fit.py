"""``bicneuron fit``."""

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bicneuron.cli import _next
from bicneuron.cli import _options as options
from bicneuron.cli._answer import Answer, answering, unless_first_run
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, is_special, writing
from bicneuron.cli._reading import about_fit, read_training_table, reading_first
from bicneuron.cli._settings import make_model

if TYPE_CHECKING:
    from bicneuron.tables import Table

# Patterns that are printed one by one, and columns named of each.
MOST_PATTERNS, MOST_COLUMNS = 10, 6


class ModelKind(StrEnum):
    """Values of --model."""

    readable = "readable"
    accurate = "accurate"
    neuron = "neuron"
    neuron_cv = "neuron-cv"


@options.with_options
def fit(
    context: typer.Context,
    table: options.TableFile,
    target: options.Target,
    output: Annotated[
        Path, options.output("MODEL", "Model file: .skops or .onnx (cannot be read back).")
    ],
    reading: options.TrainingOptions,
    running: options.RunOptions,
    result: options.ResultOptions,
    model: Annotated[
        ModelKind,
        typer.Option(
            help="A network of a few readable patterns, a large and accurate network, the single "
            "neuron of the paper, or the same with its parameters searched."
        ),
    ] = ModelKind.readable,
    settings: options.Settings = None,
    folds: Annotated[
        int,
        typer.Option(
            help="Folds of the cross-validation that scores the model; 0 leaves it out.", min=0
        ),
    ] = 5,
) -> None:
    """Fit a model to a table, save it and score it.

    Columns of yes and no, of categories and of dates, and numbers with units or thousands
    separators are converted to numbers, with a note; predict converts new tables likewise. --strict
    refuses them instead, --drop leaves columns out.
    The score is the balanced accuracy in shuffled cross-validation, beside logistic regression on
    the same folds. It takes up to ten times as long as the fit (five times for neuron-cv). The
    model is saved before.

    Groups that a readable model found without the classes are tested: whether their carriers are
    more often of one class than chance gives, by exchanging classes (within --strata batch).
    --groups patient keeps the rows of a patient together, in the fit, in the test and in the folds
    of the score.

    \b
    Examples:
      bicneuron fit patients.csv --target diagnosis -o model.skops
      bicneuron fit patients.xlsx --target diagnosis --drop age,sex --model accurate -o model.skops
      bicneuron fit cells.h5ad --target cell_type --layer log1p --folds 0 -o model.skops
      bicneuron fit genes.gct --phenotype pheno.csv --id sample --target class --log -o m.skops
      bicneuron fit genes.csv --target class --strata batch -o model.skops
      bicneuron fit genes.csv --target class --model neuron --set max_ratio=0.5 -o model.skops
    """
    with answering(result, "bicneuron.tables") as answer:
        from bicneuron.persistence._files import FORMATS

        if not output.suffix and not output.is_dir() and not is_special(output):
            output = output.with_suffix(".skops")
        check_free(output, force=result.force, inputs=(table,))
        if output.suffix.lower() not in FORMATS:
            raise CommandError(f"{output} must end in {' or '.join(FORMATS)}; name a model file.")
        if folds == 1:
            raise CommandError(
                "--folds 1 leaves nothing to test on; take at least 2, or 0 for none."
            )
        read = read_training_table(answer, table, target, reading)
        # Errors in options and tables are reported before all this is loaded.
        answer.load("bicneuron.persistence", "bicneuron.report")
        from bicneuron._estimators._workers import start_workers
        from bicneuron.persistence import save_model
        from bicneuron.report import pattern_records

        estimator = make_model(model, settings, seed=running.seed, n_jobs=running.n_jobs)
        with answer.working(unless_first_run("fitting")), refusing_bad_values():
            if model is not ModelKind.neuron:  # the others run in processes
                start_workers(running.n_jobs)
            estimator.fit(read.features, read.labels, **_groups_of(estimator, read))
        estimator.set_params(n_jobs=None)  # a property of the machine, not of the model
        about = about_fit(context.obj, table, read, reading)
        about["groups"] = _numbers(read.aside.get("groups"))
        if folds:
            about["folds"] = folds
        with writing(output):
            pipeline = reading_first(read, estimator)
            save_model(pipeline, output, about=about, overwrite=result.force)
        if estimator.finds_blind_groups and estimator.patterns_:
            estimator = _test(answer, estimator, read, running)
            if output.suffix.lower() == ".skops":
                with writing(output):
                    pipeline = reading_first(read, estimator)
                    save_model(pipeline, output, about=about, overwrite=True)
        _print(answer, read, estimator, pattern_records(estimator), output)
        if folds and result.is_printed:
            _score(answer, estimator.set_params(n_jobs=running.n_jobs), read, folds)
        if _has_finding(estimator):
            given = _next.table_given(context)
            answer.suggest("explain", output, table, *given, "-o", output.with_suffix(".html"))
        else:
            answer.add("which rows share which columns, and is it real? That is another search:")
            given = _next.reading_given(context, "target")
            answer.suggest("find", table, *given, "-o", output.with_name("groups.html"))


def _has_finding(estimator: Any) -> bool:
    """True if there is a pattern that is a finding, or was not tested."""
    patterns = [one for one in estimator.patterns_ if one.kind != "class"]
    return any(one.evidence is None or one.evidence.is_finding for one in patterns)


def _numbers(groups: Any) -> list[int] | None:
    """The group of each row, as explain needs it to score the model in the same folds."""
    import numpy as np

    return None if groups is None else np.unique(groups, return_inverse=True)[1].tolist()


def _groups_of(estimator: Any, read: "Table") -> dict[str, Any]:
    """Rows that folds inside a fit keep together, for models that have such folds."""
    from sklearn.utils.validation import has_fit_parameter

    groups = read.aside.get("groups")
    takes_groups = has_fit_parameter(estimator, "groups")
    return {"groups": groups} if takes_groups and groups is not None else {}


def _print(
    answer: Answer, read: "Table", model: Any, patterns: list[dict[str, Any]], output: Path
) -> None:
    assert read.labels is not None  # a target was given
    n_rows, n_features = read.features.shape
    classes: dict[Any, int] = dict(sorted(Counter(read.labels.tolist()).items()))
    answer.add(
        *model.summary().splitlines(),
        f"{n_rows} rows, {n_features} features; "
        f"{', '.join(f'{label}: {n}' for label, n in classes.items())}",
        *_pattern_lines(patterns, in_network=not hasattr(model, "binary_models")),
        f"wrote {output}",
        output=str(output),
        answer=model.summary(),
        model=type(model).__name__,
        n_rows=n_rows,
        n_features=n_features,
        classes=classes,
        id=read.id_column,
        dropped=read.dropped,
        steps=read.encoding.to_json()["steps"],
        patterns=patterns,
    )


def _test(answer: Answer, estimator: Any, read: "Table", running: options.RunOptions) -> Any:
    """Test the groups that were found without the classes; return the model with the evidence."""
    from bicneuron.significance import significance_test, with_evidence

    with answer.working("testing"):
        try:
            tested = significance_test(
                estimator,
                read.features,
                read.labels,
                strata=read.aside.get("strata"),
                groups=read.aside.get("groups"),
                random_state=running.seed,
            )
        except ValueError as error:  # such as rows of a patient with several classes
            answer.add(f"groups are not tested: {error}")
            return estimator
    return with_evidence(estimator, tested)


def _score(answer: Answer, estimator: Any, read: "Table", folds: int) -> None:
    """Print the cross-validated scores of the model, or why there are none."""
    from bicneuron.metrics import cross_validated_scores

    try:
        with answer.working("scoring", "folds") as after_fold:
            scores = cross_validated_scores(
                estimator,
                read.features,
                read.labels,
                groups=read.aside.get("groups"),
                n_splits=folds,
                after_fold=after_fold,
            )
    except ValueError as error:
        answer.add(f"not scored: {error}", scores=None, not_scored=str(error))
        return
    chance = _no_better(scores, read.target)
    answer.add(
        *chance,
        *str(scores).splitlines(),
        scores=scores.to_dict(),
        no_better_than_majority=bool(chance),
    )


def _no_better(scores: Any, target: str | None) -> list[str]:
    """Say that the model is no better than always naming one class, and what to try."""
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


def _pattern_lines(patterns: list[dict[str, Any]], *, in_network: bool) -> list[str]:
    """Describe the patterns of a model in a few lines; only count them if they are many."""
    n_whole = sum(pattern["kind"] == "class" for pattern in patterns)
    counts = {"pattern": len(patterns) - n_whole, "neuron on all columns": n_whole}
    if not patterns:
        return []
    lines = [", ".join(_counted(n, what) for what, n in counts.items() if n)]
    if len(patterns) > MOST_PATTERNS:
        return lines
    return [*lines, *(_described(one, in_network) for one in patterns)]


def _counted(n: int, what: str) -> str:
    noun, *more = what.split()
    return " ".join([str(n), noun if n == 1 else f"{noun}s", *more])


def _percent(share: float) -> str:
    return "under 1%" if 0 < share < 0.005 else f"{share:.0%}"


def _described(pattern: dict[str, Any], in_network: bool) -> str:
    """A line about a pattern: its columns, what it decides, who carries it, and how sure it is."""
    from bicneuron._writing._formats import format_p

    columns, is_pattern = pattern["columns"], pattern["kind"] != "class"
    names = ", ".join(columns[:MOST_COLUMNS]) + (", ..." if len(columns) > MOST_COLUMNS else "")
    parts = [f"{_counted(len(columns), 'column')} ({names})"]
    if in_network and is_pattern:
        parts.append(f"{_percent(pattern['strength'])} of the decision")
    if not in_network:
        other = pattern.get("contrast_class")
        others = "others" if other is None else f"of {other}"
        own = f"{_counted(pattern['n_rows'], 'row')} of {pattern['class']}"
        parts.append(f"learned from {own} and {pattern['n_contrast_rows']} {others}")
    if counts := pattern.get("carriers"):  # not counted in very large tables
        carriers = ", ".join(f"{count} {name}" for name, count in counts.items())
        parts.append(f"carried by {carriers}")
    if is_pattern and (p := pattern.get("p_corrected")) is not None:
        parts.append(format_p(p))
    return f"{pattern['rank']}. {'; '.join(parts)}"
