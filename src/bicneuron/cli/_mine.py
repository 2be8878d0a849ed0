"""``bicneuron mine``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering, plain
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._settings import make_model
from bicneuron.cli._training import read_training_table

if TYPE_CHECKING:
    from bicneuron.tables import Table


def mine(
    table: options.TableFile,
    target: options.Target,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="PATTERNS",
            help="File to write: JSON, or a table as CSV, TSV (also .gz), Parquet or Excel.",
            show_default=False,
        ),
    ],
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
    """Write the ranked contrastive pairs of a table.

    They come with the names of their rows and columns, the best first. Residues are those of the
    columns scaled to 0..1. The score is the balanced accuracy, on all rows, of the neuron trained
    on the pair. --set takes the parameters of BicNeuronClassifier.

    \b
    Examples:
      bicneuron mine genes.csv --target class -o patterns.json
      bicneuron mine genes.csv --target class --set max_pairs=20 -o patterns.csv
      bicneuron mine genes.csv --target class --set miner=ContrastBiclustering -o patterns.csv
    """
    with answering(as_json, quiet, "bicneuron.tables", "bicneuron.classifier") as answer:
        from bicneuron.tables import check_writable, write_table

        if output.suffix.lower() != ".json":
            check_writable(output)
        check_free(output, force=force, inputs=(table,))
        classifier = make_model("neuron", settings, seed=seed, n_jobs=jobs or -1)
        read = read_training_table(
            answer, table, target=target, id_column=id_column, drop=drop, layer=layer
        )
        with answer.working("mining"), refusing_bad_values():
            classifier.fit(read.features, read.labels)
            patterns = _patterns(classifier, read)
        if not patterns:
            raise CommandError(
                "no contrastive pair was found, nothing was written; try another --set "
                "miner__cut_distance=... or a larger max_ratio."
            )
        with writing(output):
            if output.suffix.lower() == ".json":
                from bicneuron._files._atomic import write_atomically

                content = {"table": table.name, "target": target, "pairs": plain(patterns)}
                write_atomically(output, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
            else:
                import pandas as pd

                write_table(pd.DataFrame(map(_flat, patterns)), output)
        answer.tell(
            f"contrastive pairs: {len(patterns)}, MSR ratio {patterns[0]['msr_ratio']:.3g} and up",
            f"wrote {output}",
            output=str(output),
            n_pairs=len(patterns),
        )


def _patterns(classifier: Any, read: "Table") -> list[dict[str, Any]]:
    """Pairs of all problems, the best of each first."""
    from bicneuron._scaling import minmax_scaling
    from bicneuron.classifier._one_neuron import binary_estimators
    from bicneuron.metrics import mean_squared_residue

    X = read.features.to_numpy()
    Z = minmax_scaling(X[classifier.rows_used_]).apply(X)
    rows, columns = read.features.index.to_numpy(), read.features.columns.to_numpy()
    found = []
    for problem, binary in binary_estimators(classifier):
        ranked = zip(binary.pairs_, binary.scores_, strict=True)
        for rank, (pair, score) in enumerate(ranked, start=1):
            anchor = binary.rows_used_[pair.anchor_rows]
            contrast = binary.rows_used_[pair.contrast_rows]
            found.append(
                {
                    "problem": str(problem),
                    "rank": rank,
                    "class": pair.anchor_class,
                    "msr_ratio": pair.msr_ratio,
                    "criterion": pair.criterion,
                    "residue": mean_squared_residue(Z[anchor][:, pair.columns]),
                    "contrast_residue": mean_squared_residue(Z[contrast][:, pair.columns]),
                    "score": score,
                    "n_rows": len(anchor),
                    "n_contrast_rows": len(contrast),
                    "n_columns": len(pair.columns),
                    "columns": columns[pair.columns].tolist(),
                    "rows": rows[anchor].tolist(),
                    "contrast_rows": rows[contrast].tolist(),
                }
            )
    return found


def _flat(pattern: dict[str, Any]) -> dict[str, Any]:
    """Lists of names in one cell each."""
    return {
        key: "; ".join(map(str, value)) if isinstance(value, list) else value
        for key, value in pattern.items()
    }
