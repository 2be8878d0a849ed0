"""Files that unpack to much more than their size are refused while they are read."""

import gzip
import os
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from bicneuron.cli import main
from bicneuron.exceptions import TableError
from bicneuron.tables import read_table

TOO_MUCH = r"would take more than {} GB of memory, which is much for a file of .* --read max_memory"
SMALL = "id,a,b,class\n" + "".join(f"p{i},{i}.5,{i},{'xy'[i % 2]}\n" for i in range(40))
LINE = b"0," * 499 + b"0\n"
HEADER = ",".join(f"c{j}" for j in range(500)).encode() + b"\n"


def packed(path, n_rows):
    """A text of many equal rows, packed."""
    chunk = LINE * 1000
    if path.name.endswith(".gz"):
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(HEADER)
            for _ in range(n_rows // 1000):
                file.write(chunk)
    else:
        method = {"bz2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}.get(path.stem, 8)
        with zipfile.ZipFile(path, "w", method) as archive, archive.open("t.csv", "w") as member:
            member.write(HEADER)
            for _ in range(n_rows // 1000):
                member.write(chunk)
    return path


@pytest.mark.parametrize("name", ["t.csv.gz", "deflate.zip", "bz2.zip", "lzma.zip"])
def test_packed_text(name, tmp_path):
    path = packed(tmp_path / name, 2000)  # 2 MB
    assert path.stat().st_size < 20_000
    with pytest.raises(TableError, match=TOO_MUCH.format(0.001)):
        read_table(path, max_memory=0.001)
    # A million numbers fit into 2 MB of text, and not into 10 MB of memory.
    with pytest.raises(TableError, match=TOO_MUCH.format(0.01)):
        read_table(path, max_memory=0.01)


def test_a_packed_text_that_is_damaged(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w", 8) as archive:
        archive.writestr("t.csv", SMALL)
    content = bytearray(path.read_bytes())
    content[60] ^= 255  # of what is packed
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"t\.zip cannot be unpacked: .* Unpack it first\."):
        read_table(path)


def test_the_ratio(tmp_path):
    path = packed(tmp_path / "t.csv.gz", 100_000)
    with pytest.raises(TableError, match=TOO_MUCH.format(1)):
        read_table(path)


def test_the_ratio_grows_with_the_file(tmp_path):
    """A file of 20 MB may take 2 GB: random digits are not packed well."""
    digits = np.random.default_rng(0).integers(0, 10**15, (1000, 100))
    path = tmp_path / "t.csv.gz"
    frame = pd.DataFrame(digits, columns=[f"c{j}" for j in range(100)])
    path.write_bytes(gzip.compress(frame.to_csv(index=False).encode(), 1))
    np.testing.assert_array_equal(read_table(path).features, digits)


def excel(path):
    book = Workbook(write_only=True)
    page = book.create_sheet()
    for _ in range(300):
        page.append(["a"] + [None] * 16_000 + [1])
    book.save(path)


def many_equal_rows(path):
    parquet.write_table(pa.table({"a": pa.repeat(1.0, 5_000_000)}), path)


def long_texts(path):
    parquet.write_table(pa.table({"a": pa.repeat("x" * 10**6, 200)}), path)


def wide_arff(path):
    names = "".join(f"@attribute a{j} real\n" for j in range(1000))
    path.write_text(f"@relation r\n{names}@data\n" + ("0," * 999 + "0\n") * 2000)


def long_gct(path):
    names = "\t".join(f"s{j}" for j in range(1000))
    rows = "".join(f"g{i}\td" + "\t0" * 1000 + "\n" for i in range(2000))
    path.write_text(f"#1.2\n2000\t1000\nName\tDescription\t{names}\n{rows}")


def plain_text(path):
    path.write_bytes(HEADER + LINE * 10_000)


def declared(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("obs/_index", (2 * 10**5,), "f8")
        file.create_dataset("var/_index", (2 * 10**5,), "f8")
        for name in ("obs", "var"):
            file[name].attrs.update(
                {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"}
            )
            file[name].attrs["column-order"] = np.array([], dtype="f8")
        file.create_dataset("X", (2 * 10**5, 2 * 10**5), "f8", chunks=(1, 10**5))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.xlsx", excel),
        ("t.parquet", many_equal_rows),
        ("t.parquet", long_texts),
        ("t.arff", wide_arff),
        ("t.gct", long_gct),
        ("t.csv", plain_text),
        ("t.h5ad", declared),
    ],
)
def test_every_format(name, write, tmp_path):
    path = tmp_path / name
    write(path)
    with pytest.raises(TableError, match=TOO_MUCH.format(0.07)):
        read_table(path, max_memory=0.07)


def test_a_column_for_each_word(tmp_path):
    """Ten words of a column become ten columns of numbers, when a model is fitted and later."""
    words = [[f"w{(i + j) % 10}" for j in range(100)] for i in range(500)]
    frame = pd.DataFrame(words, columns=[f"c{j}" for j in range(100)])
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    table = read_table(path, max_memory=0.03)
    assert table.features.shape == (500, 1000)
    with pytest.raises(TableError, match=TOO_MUCH.format(0.01)):
        read_table(path, max_memory=0.01)
    with pytest.raises(TableError, match=TOO_MUCH.format(0.01)):
        read_table(path, encoder=table.encoding, max_memory=0.01)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ("1000000000 1000000000 1", "has 1000000000 genes and 1000000000 cells"),
        ("2 2 1000000000000", "it lacks some of 1000000000000 values"),
        ("-2 x", "it does not state its size"),
    ],
)
def test_a_matrix_that_declares_much(sizes, said, tmp_path):
    (tmp_path / "matrix.mtx").write_text(
        f"%%MatrixMarket matrix coordinate integer general\n{sizes}\n1 1 1\n"
    )
    (tmp_path / "barcodes.tsv").write_text("a\nb\n")
    (tmp_path / "features.tsv").write_text("g\nh\n")
    with pytest.raises(TableError, match=said):
        read_table(tmp_path)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.zip", "t.h5ad", "t.mtx"])
def test_pipes_and_devices(name, tmp_path):
    pipe, device = tmp_path / f"pipe_{name}", tmp_path / f"device_{name}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(TableError, match="is a pipe or a device, not a file"):
            read_table(path)
    table = tmp_path / "good.csv"
    table.write_text(SMALL)
    with pytest.raises(TableError, match="is a pipe or a device, not a file"):
        read_table(table, phenotype=pipe, id_column="id")


def test_a_model_that_never_ends(tmp_path, capsys):
    os.mkfifo(tmp_path / "m.skops")
    (tmp_path / "t.csv").write_text(SMALL)
    command = ["predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", tmp_path / "p.csv"]
    assert main([*map(str, command)]) == 2
    assert "is a pipe or a device" in capsys.readouterr().err


@pytest.mark.parametrize("max_memory", [0, -1, float("nan"), "8", True])
def test_no_budget(max_memory, table_of):
    with pytest.raises(ValueError, match=r"max_memory=.* must be a number of GB above 0"):
        table_of(SMALL, max_memory=max_memory)


def test_any_budget(table_of):
    assert len(table_of(SMALL, max_memory=float("inf")).features) == 40
    assert len(table_of(SMALL, max_memory=1).features) == 40


def test_the_option(tmp_path, capsys):
    path = packed(tmp_path / "t.csv.gz", 20_000)
    command = ["find", str(path), "-o", str(tmp_path / "p.json"), "--read", "max_memory=0.01"]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert "allow it with --read max_memory=GB" in error
    assert len(error.splitlines()) == 1


def test_a_machine_without_memory(tmp_path):
    """The error of the system is one line, too."""
    path = tmp_path / "t.csv"
    path.write_text("a,class\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(3_000_000)))
    limit = (600 * 2**20,) * 2
    code = (
        "import resource, sys; from bicneuron.cli import main; import bicneuron.tables, pandas, "
        f"pyarrow.csv; resource.setrlimit(resource.RLIMIT_DATA, {limit}); "
        "sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["find", str(path), "--target", "class", "-o", str(tmp_path / "p.json")]
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 2, run.stderr
    assert run.stderr.splitlines()[-1].startswith("error: there is not enough memory")
    assert "Traceback" not in run.stderr
