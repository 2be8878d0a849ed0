"""Matrix Market with barcodes and features, as 10x Genomics writes it: a folder of three files."""

import io
from collections import Counter
from pathlib import Path

import numpy as np

from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget, is_gzip, read_gzip, read_plain
from bicneuron.tables._lines import rows_of_lines
from bicneuron.tables._sheet import Sheet

# Bytes, as measured, of a count among others and of a gene with its names.
_OF_VALUE, _OF_NAME = 50, 500
_MATRIX, _CELLS, _GENES = ("matrix.mtx",), ("barcodes.tsv",), ("features.tsv", "genes.tsv")


def is_matrix_market(path: Path) -> bool:
    """True if a path is such a folder, or the matrix in it."""
    if path.is_dir():
        return _found(path, _MATRIX) is not None
    return path.name.lower().removesuffix(".gz").endswith(".mtx")


def read_matrix_market(path: Path, budget: Budget) -> Sheet:
    """Read cells as rows, genes by their symbols, or by their ids where a symbol is repeated."""
    from scipy.io import mmread
    from scipy.sparse import csc_array

    matrix_file = _required(path, _MATRIX) if path.is_dir() else path
    if not matrix_file.exists():
        raise TableError(f"{path} does not exist.")
    folder = matrix_file.parent
    before = matrix_file.name.lower().removesuffix(".gz").removesuffix("matrix.mtx")
    cells = _lines(_required(folder, _CELLS, before), budget)
    genes = _lines(_required(folder, _GENES, before), budget)
    content = _content(matrix_file, budget)
    n_genes, n_cells, n_values = _declared(matrix_file, content)
    if (n_genes, n_cells) != (len(genes), len(cells)):
        raise TableError(
            f"{matrix_file} has {n_genes} genes and {n_cells} cells, and the files beside it name "
            f"{len(genes)} and {len(cells)}; they belong to different data."
        )
    budget.spend(_OF_VALUE * n_values)
    try:
        counts = csc_array(mmread(io.BytesIO(content)).T, dtype=np.float64)
    except (ValueError, OverflowError) as error:
        raise TableError(f"{matrix_file} is cut or damaged: {error}. Copy it again.") from error
    names = _names(genes)
    # Most genes are found in no cell; the matrix of the others is small enough to be dense.
    found = np.flatnonzero(np.diff(counts.indptr))
    n_absent = len(names) - len(found)
    budget.spend_on_cells(len(found) * len(cells), len(cells), len(found))
    notes = ["genes in rows: transposed, so that cells are rows"]
    notes += [f"genes without a count in any cell left out: {n_absent}"] if n_absent else []
    return Sheet(
        [names[j] for j in found],
        list(counts[:, found].toarray().T),
        row_names=[cell[0].strip() for cell in cells],
        row_source="the barcodes",
        notes=notes,
    )


def _names(genes: list[list[str]]) -> list[str]:
    symbols = [(gene[1] if len(gene) > 1 else gene[0]).strip() for gene in genes]
    n_of = Counter(symbols)
    return [
        gene[0].strip() if n_of[symbol] > 1 else symbol
        for gene, symbol in zip(genes, symbols, strict=True)
    ]


def _found(folder: Path, endings: tuple[str, ...], before: str = "") -> Path | None:
    """Find a file with one of these names, packed or not, possibly with a prefix."""
    wanted = {before + ending for ending in endings}
    files = sorted(file for file in folder.iterdir() if file.is_file())
    plain = {file: file.name.lower().removesuffix(".gz") for file in files}
    exact = [file for file in files if plain[file] in wanted]
    loose = [file for file in files if not before and plain[file].endswith(endings)]
    return next(iter(exact or loose), None)


def _required(folder: Path, endings: tuple[str, ...], before: str = "") -> Path:
    file = _found(folder, endings, before)
    if file is None:
        names = " or ".join(before + ending for ending in endings)
        raise TableError(f"{folder} has no {names} (also .gz); put it beside the matrix.")
    return file


def _declared(file: Path, content: bytes) -> tuple[int, int, int]:
    """Numbers of genes, cells and values that the file states, checked against its length."""
    lines = (line.strip() for line in io.BytesIO(content) if not line.startswith(b"%"))
    stated = next(filter(None, lines), b"").split()
    try:
        n_genes, n_cells = int(stated[0]), int(stated[1])
        n_values = int(stated[2]) if len(stated) > 2 else n_genes * n_cells
    except (IndexError, ValueError) as error:
        raise TableError(f"{file} is cut or damaged: it does not state its size.") from error
    if n_values > content.count(b"\n"):
        raise TableError(f"{file} is cut or damaged: it lacks some of {n_values} values.")
    return n_genes, n_cells, n_values


def _lines(file: Path, budget: Budget) -> list[list[str]]:
    text = _content(file, budget).decode("utf-8", errors="replace")
    budget.spend(_OF_NAME * text.count("\n"))
    try:
        return list(rows_of_lines(enumerate(text.splitlines(), start=1), delimiter="\t"))
    except ValueError as error:
        raise TableError(f"{file}: {error}.") from error


def _content(file: Path, budget: Budget) -> bytes:
    return read_gzip(file, budget) if is_gzip(file) else read_plain(file, budget)
