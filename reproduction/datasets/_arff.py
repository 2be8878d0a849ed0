"""The subset of the ARFF format that numeric tables with a nominal class use."""

import csv
import re

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s'"{]+))(?:\s+\S|\{)""",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\(.)")
# Characters of a line that an error shows.
LONGEST = 80


def parse_arff(text: str) -> tuple[list[str], list[list[str]]]:
    r"""Split an ARFF text into attribute names and rows of cells, all text.

    Comments and blank lines are skipped; names and cells may be quoted. Sparse rows, dates and
    relational attributes are not read.

    Examples
    --------
    >>> parse_arff("@relation r\n@attribute 'a b' real\n@attribute c {x,y}\n@data\n0.5,'x'\n")
    (['a b', 'c'], [['0.5', 'x']])
    """
    lines = iter(
        (number, line)
        for number, raw in enumerate(text.splitlines(), start=1)
        if (line := raw.strip()) and not line.startswith("%")
    )
    names = []
    for _, line in lines:
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            break
        if keyword == "@attribute":
            names.append(_attribute_name(line))
    else:
        raise ValueError("it has no @data section")
    rows = []
    for number, line in lines:
        try:
            (row,) = csv.reader(
                [line], quotechar="'", escapechar="\\", skipinitialspace=True, strict=True
            )
        except csv.Error as error:
            raise ValueError(f"line {number}: {error}") from error
        rows.append([_unquoted(cell.strip()) for cell in row])
        if len(row) != len(names):
            raise ValueError(f"row {len(rows)} has {len(row)} cells for {len(names)} attributes")
    return names, rows


def _attribute_name(line: str) -> str:
    match = _ATTRIBUTE.match(line)
    if match is None:
        shown = line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
        raise ValueError(f"the line {shown!r} names no attribute")
    return _ESCAPED.sub(r"\1", next(name for name in match.groups() if name is not None))


def _unquoted(cell: str) -> str:
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell
