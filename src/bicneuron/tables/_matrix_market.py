"""Matrix Market with barcodes and features, as 10x Genomics writes it: a folder of three files."""

import csv
import gzip
import io
from collections import Counter
from pathlib import Path

import numpy as np

from bicneuron.exceptions import TableError
from bicneuron.tables._sheet import Sheet

_MATRIX, _CELLS, _GENES = ("matrix.mtx",), ("barcodes.tsv",), ("features.tsv", "genes.tsv")


def is_matrix_market(path: Path) -> bool:
    """Whether a path is such a folder, or the matrix in it."""
    if path.is_dir():
        return _found(path, _MATRIX) is not None
    return path.name.lower().removesuffix(".gz").endswith(".mtx")


def read_matrix_market(path: Path) -> Sheet:
    """Cells as rows, genes by their symbols, or by their ids where several have one symbol."""
    from scipy.io import mmread
    from scipy.sparse import csc_array

    matrix_file = _required(path, _MATRIX) if path.is_dir() else path
    if not matrix_file.exists():
        raise TableError(f"{path} does not exist.")
    folder = matrix_file.parent
    before = matrix_file.name.lower().removesuffix(".gz").removesuffix("matrix.mtx")
    cells = _lines(_required(folder, _CELLS, before))
    genes = _lines(_required(folder, _GENES, before))
    try:
        counts = csc_array(mmread(io.BytesIO(_content(matrix_file))).T, dtype=np.float64)
    except ValueError as error:
        raise TableError(f"{matrix_file} is cut or damaged: {error}. Copy it again.") from error
    if counts.shape != (len(cells), len(genes)):
        raise TableError(
            f"{matrix_file} has {counts.shape[1]} genes and {counts.shape[0]} cells, and the files "
            f"beside it name {len(genes)} and {len(cells)}; they belong to different data."
        )
    names = _names(genes)
    # Most genes are found in no cell; the matrix of the others is small enough to be dense.
    found = np.flatnonzero(np.diff(counts.indptr))
    n_absent = len(names) - len(found)
    notes = ["genes in rows: turned, so that cells are rows"]
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
    """A file of one of these names, packed or not, with something like a sample before it."""
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


def _lines(file: Path) -> list[list[str]]:
    text = _content(file).decode("utf-8", errors="replace")
    return [row for row in csv.reader(text.splitlines(), delimiter="\t") if row]


def _content(file: Path) -> bytes:
    content = file.read_bytes()
    try:
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except (EOFError, OSError) as error:
        raise TableError(f"{file} is cut or damaged: {error}. Copy it again.") from error
