"""``bicneuron datasets``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering

if TYPE_CHECKING:
    from bicneuron.datasets import DatasetInfo


def datasets(data: options.DataFolder = None, as_json: options.Json = False) -> None:
    """List the data sets of the paper.

    Each comes with its shape, its classes, and where it is or where to get it.

    \b
    Examples:
      bicneuron datasets
      bicneuron datasets --data my/folder --json
    """
    with answering(options.ResultOptions(as_json=as_json), "bicneuron.datasets") as answer:
        from bicneuron.datasets import dataset_info, get_data_home, list_datasets

        home = get_data_home(data)
        found = [_describe(dataset_info(name), home) for name in list_datasets()]
        for entry in found:
            shape = "x".join(map(str, entry["shape"])) if entry["shape"] else "-"
            classes = ", ".join(f"{label} {n}" for label, n in entry["classes"].items())
            answer.add(f"{entry['name']:<11} {shape:>9}  {classes}", f"{'':<23}{entry['where']}")
        answer.add(data_home=str(home), datasets=found)


def _describe(info: "DatasetInfo", home: Path) -> dict[str, Any]:
    return {
        "name": info.name,
        "title": info.title,
        "shape": info.shape,
        "classes": dict(info.class_counts),
        "licence": info.licence,
        "where": info.location(home),
    }
