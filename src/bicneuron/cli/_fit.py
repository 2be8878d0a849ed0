"""``bicneuron fit``."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bicneuron.cli import _options as options
from bicneuron.cli import _reading
from bicneuron.cli._answer import Answer, answering, class_counts
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_outputs, writing

if TYPE_CHECKING:
    from bicneuron.tables import Table


def fit(  # noqa: PLR0913, PLR0915  # an argument for each option
    context: typer.Context,
    table: options.TableFile,
    target: Annotated[str, options.column("Column with the classes.")],
    output: Annotated[
        Path, options.output("MODEL", "Model file: .skops or .onnx (cannot be read back).")
    ],
    model: Annotated[
        Literal["readable", "accurate", "neuron"],
        typer.Option(
            help="A few readable patterns, a large and accurate network, or the single neuron of "
            "the paper."
        ),
    ] = "readable",
    id_column: options.Id = None,
    phenotype: options.Phenotype = None,
    drop: options.Drop = None,
    strata: options.Strata = None,
    groups: options.Groups = None,
    read: options.Read = None,
    show_reading: options.ShowReading = False,
    folds: Annotated[
        int,
        typer.Option(
            help="Folds of the cross-validation that scores the model; 0 leaves it out.", min=0
        ),
    ] = 5,
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit a model to a table, save it and score it.

    Columns that are not numbers are converted, with a note; predict converts new tables the same
    way. The score is the balanced accuracy on rows left out, with its interval, beside logistic
    regression and the majority class. Patterns follow: their columns, shares of the decision, and
    carriers among rows that the fold's model had not seen. bicneuron explain shows it all.

    \b
    Examples:
      bicneuron fit patients.csv --target diagnosis -o model.skops
      bicneuron fit genes.gct --phenotype pheno.csv --id sample --target class -o model.skops
    """
    with answering(as_json=as_json, quiet=quiet) as answer:
        if not output.suffix and not output.exists():
            output = output.with_suffix(".skops")
        check_outputs((output,), (table,), (".skops", ".onnx"), force=force)
        if folds == 1:
            raise CommandError("--folds 1 leaves nothing to test on; take 2 or more, 0 for none.")
        reading = _reading.how_to_read(read, id_column, phenotype, drop)
        data = _reading.read_training_table(
            *(answer, table, target, reading),
            _reading.set_aside(strata, groups),
            show=show_reading,
        )
        answer.load("bicneuron.persistence", "bicneuron.report")
        import numpy as np

        from bicneuron._shared._workers import start_workers
        from bicneuron.classifier import BicNeuronClassifier
        from bicneuron.network import BicNeuronNetwork, PatternClassifier
        from bicneuron.persistence import save_model
        from bicneuron.report import pattern_records

        n_jobs, groups_of_rows = jobs or -1, data.aside.get("groups")
        kinds: dict[str, Any] = {"readable": PatternClassifier, "accurate": BicNeuronNetwork}
        made = kinds.get(model, partial(BicNeuronClassifier, None))
        estimator = made(random_state=seed, n_jobs=n_jobs)
        with answer.working("fitting"), refusing_bad_values():
            if model != "neuron":  # the others run in processes
                start_workers(n_jobs)
            estimator.fit(data.features, data.labels, groups=groups_of_rows)
        estimator.set_params(n_jobs=None)  # a property of the machine, not of the model
        about = _reading.about_fit(context.obj, table, data, reading)
        if groups_of_rows is not None:  # by number, for explain to score in the same folds
            about["groups"] = np.unique(groups_of_rows, return_inverse=True)[1].tolist()
        if folds:
            about["folds"] = folds
        whole = _reading.reading_first(data, estimator)
        with writing(output):
            save_model(whole, output, about=about, overwrite=force)
        can_be_read = output.suffix.lower() == ".skops"
        known = _test(answer, estimator, data, seed)
        known = _score(answer, known, data, folds, n_jobs)
        if known is not estimator and can_be_read:
            with writing(output):
                save_model(_reading.reading_first(data, known), output, about=about, overwrite=True)
        _print(answer, data, known, pattern_records(known), output)
        if all(one.kind == "class" for one in known.patterns_):
            answer.add("which rows share which columns, and is it real? That is another search:")
            given = options.given(context, options.LEARNING)
            answer.suggest("find", table, *given, output=output.with_name("groups.html"))
        elif can_be_read:
            given = options.given(context, options.READING)
            answer.suggest("explain", output, table, *given, output=output.with_suffix(".html"))


def _print(
    answer: Answer, read: "Table", model: Any, patterns: list[dict[str, Any]], output: Path
) -> None:
    assert read.labels is not None  # a target was given
    n_rows, n_features = read.features.shape
    classes, in_words = class_counts(read.labels)
    answer.add(
        f"{n_rows} rows, {n_features} features; {in_words}",
        *model.summary().splitlines(),
        f"wrote {output}",
        output=str(output),
        answer=model.summary(),
        model=type(model).__name__,
        n_rows=n_rows,
        n_features=n_features,
        classes=classes,
        id=read.id_column,
        dropped=_reading.left_out(read),
        conversions=[asdict(one) for one in read.encoding.conversions],
        patterns=patterns,
    )


def _test(answer: Answer, estimator: Any, read: "Table", seed: int) -> Any:
    """Test groups that were found without the classes; return the model with their p."""
    from bicneuron.significance import significance_test, with_evidence

    if not estimator.finds_blind_groups or (estimator.blind_groups()[2] < 0).all():
        return estimator
    try:
        tested = significance_test(
            estimator,
            read.features,
            read.labels,
            strata=read.aside.get("strata"),
            groups=read.aside.get("groups"),
            random_state=seed,
        )
    except ValueError as error:  # such as rows of a patient with several classes
        answer.note([f"groups that were found without the classes are not tested: {error}"])
        return estimator
    return with_evidence(estimator, tested)


def _score(answer: Answer, estimator: Any, read: "Table", folds: int, n_jobs: int) -> Any:
    """Print the score on rows left out, or why there is none; return what its folds tell."""
    from sklearn.base import clone

    from bicneuron.metrics import cross_validated_scores
    from bicneuron.significance import with_folds

    if not answer.is_printed:
        return estimator
    if not folds:
        answer.add("not scored (--folds 0): nothing here says how well it predicts.")
        return estimator
    try:
        with answer.working("scoring", "folds"):
            scores = cross_validated_scores(
                clone(estimator).set_params(n_jobs=n_jobs),
                read.features,
                read.labels,
                groups=read.aside.get("groups"),
                n_splits=folds,
            )
    except ValueError as error:
        answer.add(f"not scored: {error}", scores=None, not_scored=str(error))
        return estimator
    compared, least = (scores.model, scores.logistic_regression), scores.majority_balanced_accuracy
    ours, theirs = (one["balanced_accuracy"].low > least for one in compared)
    way_out = "neither is logistic regression: try more rows, other columns or another target"
    if theirs:
        way_out = "logistic regression is: try --model accurate, or take logistic regression"
    said = f"on rows left out this model is no better than always naming one class; {way_out}."
    chance = [] if ours else [said]
    answer.add(
        *chance,
        *str(scores).splitlines(),
        scores=scores.to_dict(),
        no_better_than_majority=bool(chance),
    )
    return with_folds(estimator, read.features, read.labels, scores)
