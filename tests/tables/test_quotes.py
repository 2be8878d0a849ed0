"""Quotes that nobody closed: no row is lost without a word."""

import itertools

import numpy as np
import pytest

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table

HEADER = "id,size,town,said,class\n"
ROWS = [f'p{i},{i}.5,{["Ulm", "Rom", "Bonn"][i % 3]},"so, {i}",{"xy"[i % 2]}' for i in range(40)]


def text(changed):
    return HEADER + "".join(f"{changed.get(i, row)}\n" for i, row in enumerate(ROWS))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({8: 'p8,8.5,"Bonn,so,x'}, "the quote that opens in line 10 is not closed before line 11"),
        ({8: 'p8,8.5,Bonn,so,"x'}, "the quote that opens in line 10 is not closed before line 11"),
        ({8: '"p8,8.5,Bonn,so,x'}, "the quote that opens in line 10 is not closed before line 11"),
        ({39: 'p39,1,Ulm,so,"x'}, "the quote that opens in line 41 is never closed; close it or"),
        ({39: 'p39,1,"Ulm,so,x'}, "the quote that opens in line 41 is never closed"),
        (
            {8: 'p8,8.5,"Bonn,so,x', 13: 'p13,13.5,Bonn",so,y'},
            "opens in line 10 is not closed before line 11, which looks like a row of its own",
        ),
        ({8: 'p8,8.5,"Bonn,so,x', 9: 'p9,9.5,"Ulm,so,y'}, "opens in line 10 is not closed before"),
        ({8: 'p8,8.5,Bonn,so,"x\ny"'}, r"target 'class' 'x\ny' has a line break; the quote before"),
        ({8: 'p8,8.5,Bonn,so,"x\ny"'}, "it opens in line 10. Write it in one line."),
    ],
)
def test_rows_are_not_swallowed(table_of, changed, said):
    with pytest.raises(TableError) as error:
        table_of(text(changed), target="class")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_all_rows_in_one_cell(table_of):
    plain = [row.replace('"so, ', "so").replace('"', "") for row in ROWS]
    body = "\n".join([*plain[:8], 'p8,8.5,Bonn,so,"x', *plain[9:]]) + "\n"
    with pytest.raises(TableError, match="the quote that opens in line 10 is never closed"):
        table_of(HEADER + body, target="class")
    with pytest.raises(TableError, match="the quote that opens in line 13 is never closed"):
        table_of("a title\n\n\n" + HEADER + body, target="class")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends(table_of, end):
    with pytest.raises(TableError, match="the quote that opens in line 10 is not closed before"):
        table_of(text({8: 'p8,8.5,"Bonn,so,x'}).replace("\n", end), target="class")
    assert len(table_of(text({}).replace("\n", end), target="class").features) == 40


def test_a_header_that_swallows_rows(table_of):
    with pytest.raises(TableError, match="the quote that opens in line 1 is not closed before li"):
        table_of(text({}).replace("size,town", '"size,town'), target="class")


def test_names_of_rows(table_of):
    names = text({8: '"p\n8",8.5,Bonn,so,x'})
    with pytest.raises(TableError, match="the quote that opens in line 10 is not closed before"):
        table_of(names, target="class")
    last = 'a,class,id\n1,x,p\n2,y,q\n3,x,"r\n3"\n4,y,t\n'
    with pytest.raises(TableError, match=r"row name 'r\\n3' has a line break; .* opens in line 4"):
        table_of(last, target="class", id_column="id")
    # Not taken as names by itself.
    assert table_of(last, target="class").id_column is None


def test_text_of_several_lines_is_no_damage(table_of):
    table = table_of(text({8: 'p8,8.5,Bonn,"first\nsecond, of two",x'}), target="class")
    assert len(table.features) == 40
    assert "cells of several lines: 1, the first opens in line 10" in table.notes


def test_quotes_put_anywhere(tmp_path):
    """A table is read with all its rows, or refused."""
    path = tmp_path / "t.csv"
    whole = text({})
    random = np.random.default_rng(0)
    n_read = n_refused = 0
    for n_quotes in itertools.islice(itertools.cycle([1, 1, 2]), 60):
        damaged = whole
        for place in random.integers(len(HEADER), len(whole), n_quotes):
            damaged = damaged[:place] + '"' + damaged[place:]
        path.write_text(damaged)
        try:
            table = read_table(path, target="class")
        except TableError:
            n_refused += 1
        else:
            n_read += 1
            assert len(table.features) == 40
    assert n_read > 5
    assert n_refused > 5


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        (
            "t.arff",
            "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n1,'x\n2,'y'\n3,x\n",
            5,
        ),
        ("t.arff", "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n1,x\n2,'y\n", 6),
        ("t.gct", '#1.2\n2\t2\nName\tD\ts\tt\ng\t"d\t1\t2\nh\t"\t3\t4\n', 4),
        ("t_series_matrix.txt", '!Series_title\t"a\n!series_matrix_table_begin\n', 1),
    ],
)
def test_formats_of_one_row_in_a_line(table_of, name, content, line):
    if name.startswith("t_"):
        content += '"ID"\t"s"\n"g"\t1\n!series_matrix_table_end\n'
    with pytest.raises(TableError, match=f"the quote that opens in line {line} is not closed"):
        table_of(content, name)
