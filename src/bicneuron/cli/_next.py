"""The next command to type, with the real names of files and columns."""

import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Any

# Stands for a table that only the user knows.
OTHER_TABLE = "OTHER_TABLE"
# Values of --read that a model file does not keep.
_NOT_IN_MODELS = ("transpose=", "max_memory=")


def command(*words: object) -> str:
    """A command line, quoted for a shell."""
    return shlex.join(["bicneuron", *map(str, words)])


def unused(path: Path) -> Path:
    """A path where nothing is yet: this one, or with a number behind its name."""
    ending = "".join(path.suffixes[-2:]) if path.suffix.lower() == ".gz" else path.suffix
    name, number = path.name.removesuffix(ending), 2
    while path.exists():
        path, number = path.with_name(f"{name}_{number}{ending}"), number + 1
    return path


def _given(context: Any, names: Collection[str]) -> list[str]:
    """Options of the running command that the user gave, of some parameters, as words."""
    words: list[str] = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        if parameter.name not in names or source is None or source.name != "COMMANDLINE":
            continue
        option, value = max(parameter.opts, key=len), context.params[parameter.name]
        values = value if isinstance(value, list | tuple) else [value]
        words += [word for one in values for word in (option, str(one))]
    return words


def reading_given(context: Any) -> list[str]:
    """Options by which another command learns from the same table."""
    return _given(context, {"id_column", "phenotype", "read", "target", "drop", "strata", "groups"})


def table_given(context: Any) -> list[str]:
    """Options by which the next command reads the same table; a model file has the others."""
    of_file = [one for one in context.params["read"] or () if one.startswith(_NOT_IN_MODELS)]
    read = [word for one in of_file for word in ("--read", one)]
    return [*_given(context, {"id_column", "phenotype"}), *read]
