import pytest

from reproduction.datasets._arff import parse_arff

TEXT = """\
% A comment, then a blank line.

@RELATION 'a relation'
@ATTRIBUTE plain NUMERIC
@attribute\t'with space'\treal
@attribute "double 'quoted'" integer
@attribute 'it\\'s' {yes,no}
@attribute char_freq_%3B real
@attribute Class {'one thing', other}
@DATA
% also here
1, 2.5,-3 ,yes, 1e-05,'one thing'

.5,0,4,"no",0,other
"""


def test_names_and_cells():
    names, rows = parse_arff(TEXT)
    assert names == ["plain", "with space", "double 'quoted'", "it's", "char_freq_%3B", "Class"]
    assert rows == [
        ["1", "2.5", "-3", "yes", "1e-05", "one thing"],
        [".5", "0", "4", "no", "0", "other"],
    ]


def test_line_ends_do_not_matter():
    assert parse_arff(TEXT.replace("\n", "\r\n")) == parse_arff(TEXT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no @data section"),
        ("<html></html>", "no @data section"),
        ("@attribute a real\n", "no @data section"),
        ("@attribute\n@data\n", "names no attribute"),
        ("@attribute 'a real\n@data\n", "names no attribute"),
        (
            "@attribute a real\n@attribute b real\n@data\n1,2\n1\n",
            "row 2 has 1 cells for 2 attributes",
        ),
        ("@attribute a real\n@data\n{0 1}\n1,2\n", "row 2 has 2 cells for 1 attributes"),
    ],
)
def test_what_is_no_table(text, said):
    with pytest.raises(ValueError, match=said):
        parse_arff(text)
