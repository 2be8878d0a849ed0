"""The tree of nodes in which skops describes a model, made the same whenever it is written."""

from collections.abc import Iterator
from typing import Any

from bicneuron.exceptions import ModelFileError


def nodes_of(schema: Any) -> Iterator[dict[str, Any]]:
    """All nodes of a skops schema, in the order in which they are written."""
    unseen = [schema]
    while unseen:
        part = unseen.pop()
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            part = list(part.values())
        if isinstance(part, list):
            unseen.extend(reversed(part))


def readable_keys(schema: Any) -> Any:
    """Let the keys of each dict be found again, or refuse the model.

    JSON has text as keys, and skops reads a key by calling its type: ``bool("false")`` is true, but
    ``bool("")`` is not. Keys of different types that are written alike would overwrite each other.
    """
    for node in nodes_of(schema):
        if node["__loader__"] == "DictNode":
            types = [kind["__class__"] for kind in node["key_types"]["content"]]
            if len(types) != len(node["content"]):
                raise ModelFileError(
                    f"the model has a dict with keys that are written alike: {[*node['content']]}."
                )
            node["content"] = {
                "" if kind.startswith("bool") and key == "false" else key: value
                for kind, (key, value) in zip(types, node["content"].items(), strict=True)
            }
    return schema


def renumbered(schema: Any) -> tuple[Any, dict[str, str]]:
    """Number the nodes in their order instead of by their places in memory.

    Also gives the new name of each file of an array, in the order in which they are used.
    """
    numbers: dict[int, int] = {}
    names: dict[str, str] = {}
    for node in nodes_of(schema):
        if "__id__" in node:
            node["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
        if "file" in node:
            node["file"] = names.setdefault(node["file"], f"{len(names)}.npy")
    return schema, names
