"""``bicneuron fit``."""

import shlex
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._settings import make_model
from bicneuron.cli._training import read_training_table


class Kind(StrEnum):
    """What --model takes."""

    classifier = "classifier"
    cv = "cv"
    network = "network"


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
            help="Model file: .skops, .json (one neuron) or .onnx (cannot be read back).",
            show_default=False,
        ),
    ],
    model: Annotated[
        Kind, typer.Option(help="One pattern, the same with its parameters searched, or many.")
    ] = Kind.classifier,
    drop: options.Drop = None,
    id_column: options.IdColumn = None,
    settings: options.Settings = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    layer: options.Layer = None,
    force: options.Replace = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit a model to a table and save it.

    All columns but the target and the row names must hold numbers; leave out others with --drop.

    \b
    Examples:
      bicneuron fit patients.csv --target diagnosis -o model.skops
      bicneuron fit patients.xlsx --target diagnosis --drop age,sex --model cv -o model.skops
      bicneuron fit cells.h5ad --target cell_type --layer log1p --model network -o model.skops
      bicneuron fit genes.csv --target class --set miner__cut_distance=1.5 -o model.skops
    """
    with answering(as_json, quiet, "bicneuron.tables", "bicneuron.persistence") as answer:
        from bicneuron._workers import start_workers
        from bicneuron.persistence import save_model

        if not output.suffix and not output.is_dir():
            output = output.with_suffix(".skops")
        check_free(output, force=force, inputs=(table,))
        _check_suffix(output)
        estimator = make_model(model, settings, seed=seed, n_jobs=jobs or -1)
        read = read_training_table(
            answer, table, target=target, id_column=id_column, drop=drop, layer=layer
        )
        with answer.working("fitting"), refusing_bad_values():
            if model is not Kind.classifier:  # the others run in processes
                start_workers(jobs or -1)
            estimator.fit(read.features, read.labels)
            n_right = int((estimator.predict(read.features) == read.labels).sum())
        estimator.set_params(n_jobs=None)  # a matter of the machine, not of the model
        about = {
            "target": target,
            "id": read.id_column,
            "dropped": list(read.dropped),
            "command": shlex.join(["bicneuron", *context.obj]),
            "table": table.name,
            "n_rows": len(read.features),
            "layer": layer,
        }
        with writing(output):
            save_model(estimator, output, about=about, overwrite=force)
        assert read.labels is not None  # a target was asked for
        counts: Counter[Any] = Counter(read.labels.tolist())
        answer.tell(
            f"{len(read.features)} rows, {read.features.shape[1]} features; "
            f"{', '.join(f'{label}: {n}' for label, n in sorted(counts.items()))}",
            *_patterns(estimator),
            f"{n_right} of these rows right, which it has learnt from; on others it may do worse",
            f"wrote {output}",
            output=str(output),
            model=type(estimator).__name__,
            n_rows=len(read.features),
            n_features=read.features.shape[1],
            classes=dict(sorted(counts.items())),
            id=read.id_column,
            dropped=read.dropped,
            n_right=n_right,
        )


def _check_suffix(output: Path) -> None:
    from bicneuron.persistence._files import FORMATS

    if output.suffix.lower() not in FORMATS:
        raise CommandError(f"{output} must end in {', '.join(FORMATS)}; name a model file with -o.")


def _patterns(estimator: Any) -> list[str]:
    """What the model found, in a line or two."""
    parts = getattr(estimator, "estimators_", [estimator])
    if hasattr(estimator, "patterns_"):
        return [f"{len(estimator.patterns_)} patterns"]
    lines = []
    for part in parts:
        pair = getattr(part, "best_estimator_", part).selected_pair_
        if pair is not None:
            names = estimator.feature_names_in_[pair.columns].tolist()
            shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
            lines.append(
                f"pattern: {len(pair.anchor_rows)} rows of {pair.anchor_class} against "
                f"{len(pair.contrast_rows)} others in {len(names)} columns: {shown}"
            )
    return lines
