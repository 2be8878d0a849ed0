"""``bicneuron replicate``."""

from pathlib import Path
from typing import Annotated, Any

from bicneuron.cli import _options as options
from bicneuron.cli import _reading
from bicneuron.cli._answer import answering
from bicneuron.cli._messages import refusing_bad_values
from bicneuron.cli._output import PAGES, check_outputs, write_records, writing

MOST_PATTERNS = 5  # that are not found again and printed one by one


def replicate(  # noqa: PLR0913  # an argument for each option
    model: options.ModelFile,
    table: options.TableFile,
    outputs: Annotated[
        list[Path],
        options.output(
            "RESULT",
            "Page to write (.html), or the figures as JSON or as a table (CSV, TSV, Parquet or "
            "Excel); may be given several times.",
        ),
    ],
    target: Annotated[
        str | None,
        options.column("Column with classes or numbers: are the patterns tied to them here?"),
    ] = None,
    time: options.Time = None,
    event: options.Event = None,
    id_column: options.Id = None,
    phenotype: options.Phenotype = None,
    strata: options.Strata = None,
    groups: options.Groups = None,
    read: options.Read = None,
    all_patterns: options.All = False,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Are the groups of bicneuron find found again in a second table?

    Columns are found by name; the second table may lack some, have others, and come from another
    platform. A group needs 5 of its columns with 30 % of its weight, and tests need 20 rows.

    A group is found again if its columns move together here as there, more than random columns of
    this table do, and, where it was asked, its carriers are tied to the class or number (--target)
    or to survival (--time with --event). Whether it is a separate group here is reported beside it.
    p is corrected in the order of the first table.

    \b
    Examples:
      bicneuron replicate groups.skops cohort2.csv --target status -o found.csv
      bicneuron replicate groups.skops cohort2.csv --time months --event died -o page.html
    """
    with answering(as_json=as_json, quiet=quiet) as answer:
        check_outputs(outputs, (model, table), (*PAGES, ".json"), force=force, tables=True)
        survival = _reading.survival_columns(target, time, event)
        aside = _reading.set_aside(strata, groups, survival=survival)
        _reading.check_roles(aside, target, id_column)
        estimator, about, data = _reading.load_with_table(
            answer,
            model,
            table,
            _reading.how_to_read(read, id_column, phenotype),
            takes="groups",
            target=target,
            aside=aside,
            another_cohort=True,
            takes_numbers=True,
        )
        from bicneuron import replication

        if not all_patterns:
            estimator = _reading.with_findings(answer, estimator)
        with answer.working("testing", "patterns"), refusing_bad_values(y2="--target"):
            y2 = _reading.labels_or_outcome(data)
            found = replication.replicate(
                *(estimator, data.features, y2),
                strata=data.aside.get("strata"),
                groups=data.aside.get("groups"),
                random_state=seed,
            )
        named: dict[str, Any] = {"target": target, "time": time, "event": event}
        named |= {"strata": strata, "groups": groups}
        told = {"model": model.name, "table": table.name, "training_table": about.get("table")}
        told |= {use: name for use, name in named.items() if name}
        answer.load("bicneuron.report")
        from bicneuron.report import pattern_records, write_report

        records = pattern_records(found, data.features, y2)
        facts = {
            "words": found.words,
            "n_patterns": len(found.patterns),
            "n_found_again": len(found.found),
            "n_rows": found.n_rows,
            "n_common_columns": found.n_common,
            "ranks": found.ranks,
            "n_draws": found.n_draws,
            "cautions": list(found.notes),
            "draws_needed": list(found.draws_needed),
        }
        for output in outputs:
            with answer.working("writing"), writing(output):
                if output.suffix.lower() in PAGES:
                    write_report(output, found, data.features, y2, about=told, overwrite=force)
                else:
                    write_records(output, {**told, **facts, "patterns": records}, force=force)
        for caution in found.notes:
            answer.warn(caution)
        others = [one.words for one in found.patterns if not one.is_found]
        more, keys = len(others) - MOST_PATTERNS, ("number", "verdict", "words", "p_found")
        answer.add(
            found.sentence,
            *others[:MOST_PATTERNS],
            *([f"and {more} more, not found again"] if more > 0 else []),
            *found.draws_needed,
            *(f"wrote {output}" for output in outputs),
            output=str(outputs[0]),
            outputs=[*map(str, outputs)],
            **facts,
            patterns=[{key: record[key] for key in keys} for record in records],
        )
