"""``bicneuron datasets``."""

from typing import Any

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering


def datasets(data: options.DataFolder = None, as_json: options.Json = False) -> None:
    """List the data sets of the paper.

    Each comes with its shape, its classes, and where it is or where to get it.

    \b
    Examples:
      bicneuron datasets
      bicneuron datasets --data my/folder --json
    """
    with answering("bicneuron.datasets", as_json=as_json, quiet=False) as answer:
        from bicneuron.datasets import dataset_info, get_data_home, list_datasets

        home = get_data_home(data)
        found: list[dict[str, Any]] = [
            {
                "name": info.name,
                "title": info.title,
                "shape": info.shape,
                "classes": dict(info.class_counts),
                "licence": info.licence,
                "where": info.location(home),
            }
            for info in map(dataset_info, list_datasets())
        ]
        for entry in found:
            shape = "x".join(map(str, entry["shape"])) if entry["shape"] else "-"
            classes = ", ".join(f"{label} {n}" for label, n in entry["classes"].items())
            answer.add(f"{entry['name']:<11} {shape:>9}  {classes}", f"{'':<23}{entry['where']}")
        answer.add(data_home=str(home), datasets=found)
