"""The next command to type, with the real names of files and columns."""

import shlex
from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from typing import Any

from bicneuron.cli._options import TrainingOptions

# Stands for a table that only the user knows.
OTHER_TABLE = "OTHER_TABLE"


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


def options_given(context: Any, names: Collection[str]) -> list[str]:
    """Options of the running command that the user gave, of some parameters, as words."""
    words: list[str] = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        if parameter.name not in names or source is None or source.name != "COMMANDLINE":
            continue
        option, value = max(parameter.opts, key=len), context.params[parameter.name]
        if parameter.is_flag:
            words.append(option if value else parameter.secondary_opts[0])
        else:
            values = value if isinstance(value, list | tuple) else [value]
            words += [word for one in values for word in (option, str(one))]
    return words


def reading_given(context: Any, *further: str) -> list[str]:
    """Options by which another command reads the same table, and ``further`` ones."""
    return options_given(context, {*further, *(field.name for field in fields(TrainingOptions))})


def table_given(context: Any) -> list[str]:
    """Options by which the next command reads the same table; a model file has the others."""
    return options_given(context, {"id_column", "transpose", "phenotype", "max_memory"})
