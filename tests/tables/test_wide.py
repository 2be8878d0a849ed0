"""Tables of very many columns give the same as narrow ones, in little memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bicneuron.exceptions import TableError
from bicneuron.tables import _text, read_table

RANDOM = np.random.default_rng(0)
N_COLUMNS = 30


def table_text(*, delimiter=",", quoted=False, changed=()):
    """Numbers with a name and a class in each row; ``changed`` are cells by place."""
    cells = RANDOM.normal(size=(9, N_COLUMNS)).round(3).astype(str).tolist()
    for (row, column), text in dict(changed).items():
        cells[row][column] = text
    quote = '"' if quoted else ""
    header = ["id", *(f"c{j}" for j in range(N_COLUMNS)), "class"]
    rows = [
        [f"{quote}p{i}{quote}", *row, f"{quote}{'xy'[i % 2]}{quote}"] for i, row in enumerate(cells)
    ]
    return "\n".join(delimiter.join(row) for row in [header, *rows]) + "\n"


TEXTS = {
    "plain": table_text(),
    "semicolons": table_text(delimiter=";"),
    "quoted": table_text(quoted=True),
    "carriage returns": table_text().replace("\n", "\r\n"),
    "no last line end": table_text().rstrip(),
    "empty lines": table_text().replace("\n", "\n\n") + "," * (N_COLUMNS + 1) + "\n",
    "gaps": table_text(changed={(0, 3): "", (2, 5): "NA", (4, 5): "unknown", (5, 6): "nan"}),
    "notation": table_text(changed={(0, 1): "1e5", (1, 1): ".5", (2, 1): "5.", (3, 1): "+2"}),
    "words": table_text(changed={(i, 2): "abc"[i % 3] for i in range(9)}),
    "units": table_text(changed={(i, 4): f"{i} kg" for i in range(9)}),
    "formulas": table_text(changed={(i, 4): ["'=x", "''-y"][i % 2] for i in range(9)}),
    "a column of nothing": table_text(changed={(i, 7): "" for i in range(9)}),
    "a constant": table_text(changed={(i, 7): "1.50" for i in range(9)}),
    "large": table_text(changed={(2, 2): "123456789012345678901234567890"}),
    "open decimal mark": table_text(
        delimiter=";", changed={(i, 8): "1.234.567" for i in range(9)} | {(0, 9): "1.234"}
    ),
    "decimal commas": table_text(delimiter=";").replace(".", ","),
    "rows end in a delimiter": table_text().replace("x\n", "x,\n").replace("y\n", "y,\n"),
}
BAD = {
    "infinite": table_text(changed={(3, 3): "inf"}),
    "text": table_text(changed={(3, 3): "oops"}),
    "a short row": table_text().replace(",x\n", "\n", 1),
    "a long row": table_text().replace(",x\n", ",1,x\n", 1),
    "an open quote": table_text(changed={(3, 3): '"1'}),
}


@pytest.fixture
def by_rows(monkeypatch):
    """Read tables as if they had very many columns."""

    def read(path, **options):
        with monkeypatch.context() as patch:
            patch.setattr(_text, "FEWEST_COLUMNS", 2)
            return read_table(path, **options)

    return read


@pytest.mark.parametrize("options", [{}, {"target": "class"}, {"decimal": "comma"}])
@pytest.mark.parametrize("name", TEXTS)
def test_the_same_table(name, options, tmp_path, by_rows):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS[name].encode())
    kept = {"keep_missing": True, **options}
    narrow, wide = read_table(path, **kept), by_rows(path, **kept)
    assert wide.features.equals(narrow.features)
    assert wide.notes == narrow.notes
    assert wide.encoding.steps == narrow.encoding.steps
    assert str(wide.labels) == str(narrow.labels)


@pytest.mark.parametrize("name", BAD)
def test_the_same_errors(name, tmp_path, by_rows):
    path = tmp_path / "t.csv"
    path.write_text(BAD[name])
    with pytest.raises(TableError) as narrow:
        read_table(path)
    with pytest.raises(TableError) as wide:
        by_rows(path)
    assert str(wide.value) == str(narrow.value)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_the_memory_of_many_columns(tmp_path):
    """100,000 columns of a file of 1 MB took 1.1 GB."""
    path = tmp_path / "t.csv"
    n_columns = 100_000
    lines = [",".join(f"c{j}" for j in range(n_columns))]
    lines += [",".join(map(str, row)) for row in RANDOM.integers(0, 10, (2, n_columns))]
    path.write_text("\n".join(lines) + "\n")
    code = (
        "import re, sys; from bicneuron.tables import read_table; "
        "print(read_table(sys.argv[1]).features.shape, "
        "re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    shape, _, kilobytes = run.stdout.strip().rpartition(" ")
    assert shape == "(2, 100000)", run.stderr
    assert int(kilobytes) < 500_000
