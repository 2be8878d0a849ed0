"""Targets as people write them: one class for one meaning, and a question where that is open."""

import re
from collections import Counter

import pytest
from table_files import read, stored

from bicneuron.exceptions import TableError


def text_of(words):
    """A table with these classes and a measurement, row names included."""
    cells = [f'"{word}"' if "," in word or word != word.strip() else word for word in words]
    rows = [f"p{i},{(i * 37) % 101 + 0.5},{cell}" for i, cell in enumerate(cells)]
    return "\n".join(["id,crp,ill", *rows]) + "\n"


@pytest.fixture
def classes_of(table_of):
    def read(counts, **options):
        words = [word for word, n in counts.items() for _ in range(n)]
        return table_of(text_of(words), target="ill", **options)

    return read


def counted(table):
    return dict(Counter(table.labels.tolist()))


def asked_about(table):
    return [question.text for question in table.questions if question.rule == "classes"]


# What is written, and the classes that are meant.
ONE_CLASS = {
    "yes in capitals": (
        {"Yes": 9, "yes": 4, "YES": 2, "No": 8, "no": 3, "NO": 1},
        {"Yes": 15, "No": 12},
    ),
    "two languages": ({"yes": 8, "ja": 3, "no": 6, "Nein": 2}, {"yes": 11, "no": 8}),
    "0, 1, yes and no": ({"0": 9, "1": 8, "yes": 2, "no": 1}, {0: 10, 1: 10}),
    "whole numbers": ({"1": 9, "2": 8, "1.0": 2}, {1: 11, 2: 8}),
    "zero-width spaces": ({"case\u200b": 3, "case": 8, "control": 9}, {"case": 11, "control": 9}),
    "positive": (
        {"positive": 8, "pos": 3, "Positiv": 1, "negative": 9, "neg.": 2},
        {"positive": 12, "negative": 11},
    ),
}


@pytest.mark.parametrize("name", ONE_CLASS)
def test_one_class_for_one_meaning(name, classes_of):
    written, meant = ONE_CLASS[name]
    table = classes_of(written)
    assert counted(table) == meant
    # 1 and 1.0 are numbers, and not two words.
    is_said = {word.strip() for word in written} != {*meant} and name != "whole numbers"
    assert len([note for note in table.notes if "taken as" in note]) == is_said
    assert not asked_about(table)


@pytest.mark.parametrize("name", ONE_CLASS)
def test_new_tables_get_the_classes_of_the_fit(name, classes_of, tmp_path):
    written, meant = ONE_CLASS[name]
    fitted = classes_of(written)
    encoder = stored(fitted)
    (tmp_path / "new.csv").write_text(text_of([*written]))
    again = read(tmp_path / "new.csv", target="ill", encoder=encoder)
    assert set(again.labels.tolist()) == set(meant)


SEVERAL_CLASSES = {
    "genotypes": {"AA": 5, "Aa": 6, "aa": 5},
    "signs": {"+": 8, "-": 9},
    "receptors": {"CD4+": 8, "CD4-": 9},
    "stages": {"stage I": 8, "stage II": 9, "stage III": 9},
    "small stages": {"stage ii": 28, "stage iii": 3},
    "tumours": {"carcinoid": 40, "carcinoma": 3},
    "pressure": {"hypotension": 28, "hypertension": 3},
    "none is a class": {"none": 9, "mild": 8, "severe": 7},
    "types of hepatitis": {"hepatitis b": 9, "hepatitis c": 3, "healthy": 8},
    "grades of schools": {"A*": 8, "A": 9, "B": 7},
    "numbers of clusters": {str(i): 12 for i in range(26)},
}


@pytest.mark.parametrize("name", SEVERAL_CLASSES)
def test_other_classes_stay_apart_without_a_question(name, classes_of):
    written = SEVERAL_CLASSES[name]
    table = classes_of(written)
    assert {str(label): n for label, n in counted(table).items()} == written
    assert not asked_about(table)


# What is written, a part of the question, the option it names, and the classes with this option.
QUESTIONS = {
    "two ways to spell": (
        {"tumor": 20, "tumour": 18, "normal": 20},
        "'tumour' (18 rows) looks like 'tumor' (20): --read merge=tumour=tumor",
        {"merge": {"tumour": "tumor"}},
        {"tumor": 38, "normal": 20},
    ),
    "a sign behind": (
        {"case": 20, "case?": 2, "control": 18},
        "'case?' (2 rows) looks like 'case' (20): --read merge='case?=case'",
        {"merge": {"case?": "case"}},
        {"case": 22, "control": 18},
    ),
    "a rare class": (
        {"case": 20, "other": 2, "control": 18},
        "class 'other' of target 'ill' has fewer than 3 rows, too few to learn from",
        {"missing": ["ill=other"]},
        {"case": 20, "control": 18},
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_names_the_option_that_answers_it(name, classes_of):
    written, question, options, meant = QUESTIONS[name]
    asked = asked_about(classes_of(written))
    assert [text for text in asked if question in text], asked
    answered = classes_of(written, **options)
    assert counted(answered) == meant
    assert not asked_about(answered)


def ages(values, name="age"):
    rows = [f"p{i},{(i * 37) % 101 + 0.5},{value}" for i, value in enumerate(values)]
    return "\n".join([f"id,crp,{name}", *rows]) + "\n"


YEARS = [20 + (i * 7) % 61 for i in range(60)] + [40, 41]
NUMBERS = {
    "whole": (YEARS, "target 'age' has 60 different numbers, such as '20'"),
    "with decimals": ([f"{y}.5" for y in YEARS], "target 'age' holds measurements"),
    "with a unit": ([f"{y} years" for y in YEARS], "target 'age' has 60 different numbers"),
    "few": ([2 + i % 12 for i in range(60)], "target 'age' has 12 different numbers"),
    "all different": ([*range(20, 60)], "target 'age' has a different value in each row"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_many_numbers_are_refused(name, table_of):
    values, why = NUMBERS[name]
    with pytest.raises(TableError) as error:
        table_of(ages(values), target="age")
    assert why in str(error.value)
    (limit,) = re.findall(
        r"or make one beforehand \(such as age >= ([0-9.]+)\)\.$", str(error.value)
    )
    assert 30 * (name != "few") < float(limit) < 60
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"merge": {"cas": "control"}}, "has no class 'cas' to merge. Did you mean 'case'?"),
        ({"merge": {"case": "control"}}, "has one class, 'control', in all rows"),
        ({"missing": ["il=9"]}, "has no column 'il' for missing. Did you mean 'ill'?"),
    ],
)
def test_options_that_do_not_fit_the_table(options, why, classes_of):
    with pytest.raises(TableError) as error:
        classes_of({"case": 5, "control": 6}, **options)
    assert why in str(error.value)
