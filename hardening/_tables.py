"""Damaged and odd table files: refused, or read with all of their rows and the right numbers."""

import gzip
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table
from hardening._judge import expect, may_refuse
from tests.model_damage import cut, flip, insert, remove
from tests.table_files import write_any

TARGET = "class"
_TEXT = [".csv", ".csv.gz", ".csv.zip", ".tsv"]
_BINARY = [".parquet", ".xlsx", ".h5ad"]
_WORDS = ["Ulm", "Rom", "Bonn", "Aix-en-Provence", "so, far", "e\u0301", "<b>", "=1+1", "O'Neil"]
_ODD_CELLS = ["nan", "NA", "", "inf", "-inf", "1e400", "1e-400", "0x1F", "1_000", "1,5", "<0.5"]
_ODD_CELLS += ["12 mg", "\x00", "\ufeff", "=cmd()", "9" * 400, "x" * 5000, "٣", "True", "1.5.2"]
_ODD_CELLS += ["2021-03-04", "03/04/2021", "12:30", " 1 ", "-", "--1", "1e", "'", "\\", "#", ";"]
_ODD_NUMBERS = [-(2**31), -1, 0, 1, 3, 10**6, 2**31 - 1]


def draw_case(random: np.random.Generator, folder: Path) -> None:
    """Write a table, damage it or not, and read it."""
    frame = _draw_frame(random)
    kind = random.random()
    if kind < 0.3:
        _try_text(frame, _with_open_quote, random, folder)
    elif kind < 0.65:
        _try_text(frame, _with_odd_cells, random, folder)
    elif kind < 0.72:
        _try_whole(frame, random, folder)
    elif kind < 0.95:
        _try_damaged(frame, random, folder)
    else:
        _try_sparse(random, folder)


def _try_text(frame: Any, change: Any, random: np.random.Generator, folder: Path) -> None:
    """A table in which cells differ, and no line: its rows are all there, or it is refused."""
    lines = frame.to_csv().splitlines()
    change(lines, random)
    text = ["\n", "\r\n", "\r"][random.integers(3)].join([*lines, ""])
    content = text.encode(["utf-8", "utf-8-sig", "utf-16"][random.choice(3, p=[0.8, 0.1, 0.1])])
    suffix = [".csv", ".csv.gz", ".csv.zip"][random.choice(3, p=[0.8, 0.1, 0.1])]
    path = folder / f"table{suffix}"
    _pack(path, content)
    table = _read(path)
    _check_rows(table, len(frame))


def _with_open_quote(lines: list[str], random: np.random.Generator) -> None:
    """Quotes at the begin of cells, in them or at their end, which mostly nobody closes."""
    for _ in range(random.integers(1, 4)):
        row = random.integers(1, len(lines))
        if '"' in lines[row]:
            continue  # of a cell with a comma, which would become two
        cells = lines[row].split(",")
        column = random.integers(len(cells))
        place = [0, len(cells[column]), random.integers(len(cells[column]) + 1)][random.integers(3)]
        cells[column] = f'{cells[column][:place]}"{cells[column][place:]}'
        lines[row] = ",".join(cells)


def _with_odd_cells(lines: list[str], random: np.random.Generator) -> None:
    """Other cells, in a few rows or in all of a column; names of columns may be odd, too."""
    n_cells = len(lines[0].split(","))
    column = random.integers(n_cells)
    odd = [_ODD_CELLS[i] for i in random.integers(len(_ODD_CELLS), size=3)]
    share = random.choice([0.05, 0.5, 1.0])
    first = 0 if random.random() < 0.1 else 1
    for row in range(first, len(lines)):
        cells = lines[row].split(",")
        if random.random() < share and len(cells) == n_cells and '"' not in lines[row]:
            cells[column] = _quoted(odd[random.integers(3)])
            lines[row] = ",".join(cells)


def _quoted(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell


def _try_whole(frame: Any, random: np.random.Generator, folder: Path) -> None:
    """A table that nothing is wrong with: the numbers are those that were written."""
    suffix = [*_TEXT, *_BINARY][random.integers(len(_TEXT) + len(_BINARY))]
    path = _written(frame, suffix, folder)
    table = _read(path)
    _check_rows(table, len(frame))
    expect(table.labels.tolist() == frame[TARGET].tolist(), "other labels")
    for name in table.features.columns.intersection(_numbers(frame)):
        # Libraries that write workbooks round to 16 digits.
        equal = np.allclose(table.features[name], frame[name], rtol=1e-14, atol=0)
        expect(equal, f"other numbers in {name}")


def _try_damaged(frame: Any, random: np.random.Generator, folder: Path) -> None:
    """A file with other bytes, of any format: refused, or a table in itself consistent."""
    suffixes = [*_TEXT, *_BINARY[:2], *_BINARY[:2], ".h5ad"]
    path = _written(frame, suffixes[random.integers(len(suffixes))], folder)
    change = [flip, flip, cut, insert, remove][random.integers(5)]
    path.write_bytes(change(path.read_bytes(), random))
    table = _read(path)
    _check_rows(table, len(table.features))


def _try_sparse(random: np.random.Generator, folder: Path) -> None:
    """An AnnData file with another number in a sparse matrix: as a naive reader reads it."""
    import anndata
    from scipy import sparse

    n_rows, n_columns = 12, 7
    make = [sparse.csr_matrix, sparse.csc_matrix][random.integers(2)]
    path = folder / "table.h5ad"
    obs = pd.DataFrame({TARGET: ["x", "y"] * 6}, index=[f"cell {i}" for i in range(n_rows)])
    var = pd.DataFrame(index=[f"gene {j}" for j in range(n_columns)])
    counts = random.poisson(0.8, (n_rows, n_columns)).astype(np.float32)
    anndata.AnnData(make(counts), obs, var).write_h5ad(path)
    name = ["indices", "indices", "indptr", "data"][random.integers(4)]
    with h5py.File(path, "r+") as file:
        part = file[f"X/{name}"]
        part[random.integers(len(part))] = _ODD_NUMBERS[random.integers(len(_ODD_NUMBERS))]
        data, indices, indptr = (file[f"X/{key}"][()] for key in ("data", "indices", "indptr"))
    table = _read(path)
    values = np.zeros((n_rows, n_columns) if make is sparse.csr_matrix else (n_columns, n_rows))
    for line in range(len(indptr) - 1):
        for place in range(indptr[line], indptr[line + 1]):
            values[line, indices[place]] += data[place]
    values = values if make is sparse.csr_matrix else values.T
    _check_rows(table, n_rows)
    for name in table.features.columns:
        read, naive = table.features[name], values[:, int(name.split()[1])]
        expect(np.array_equal(read, naive), f"other numbers in {name}")


def _read(path: Path) -> Any:
    with may_refuse(TableError):
        return read_table(path, target=TARGET)


def _check_rows(table: Any, n_rows: int) -> None:
    """Rows are there, or it was said that some are left out."""
    expect(len(table.labels) == len(table.features), "other numbers of labels and rows")
    expect(np.isfinite(table.features.fillna(0.0).to_numpy()).all(), "infinite numbers")
    said = any(note.startswith("rows without a class") for note in table.notes)
    found = len(table.features)
    expect(found == n_rows or (said and found < n_rows), f"{n_rows} rows became {found}")


def _draw_frame(random: np.random.Generator) -> Any:
    n_rows = int(random.integers(4, 40))
    frame = pd.DataFrame(index=pd.Index([f"p{i}" for i in range(n_rows)], name="id"))
    for j in range(random.integers(1, 6)):
        if j and random.random() < 0.25:
            frame[f"town {j}"] = random.choice(_WORDS, n_rows)
        else:
            frame[f"size {j}"] = random.normal(size=n_rows) * 10.0 ** random.integers(-5, 6)
    labels = np.array(["x", "y"])[np.arange(n_rows) % 2]
    frame.insert(int(random.integers(frame.shape[1] + 1)), TARGET, labels)
    return frame


def _numbers(frame: Any) -> Any:
    return [name for name in frame.columns if name.startswith("size")]


def _written(frame: Any, suffix: str, folder: Path) -> Path:
    path = folder / f"table{suffix}"
    if suffix == ".csv.zip":
        _pack(path, frame.to_csv().encode())
    elif suffix == ".h5ad":
        write_any(frame[[*_numbers(frame), TARGET]], TARGET, path)
    else:
        write_any(frame, TARGET, path)
    return path


def _pack(path: Path, content: bytes) -> None:
    if path.suffix == ".gz":
        content = gzip.compress(content)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("table.csv", content)
    else:
        path.write_bytes(content)
