"""Targets as people write them: one class for one meaning, and a question where that is open."""

import shlex
from collections import Counter

import numpy as np
import pytest
from table_files import stored

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table


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


# What is written, and the classes that are meant.
ONE_CLASS = {
    "yes in capitals": (
        {"Yes": 9, "yes": 4, "YES": 2, "No": 8, "no": 3, "NO": 1},
        {"Yes": 15, "No": 12},
    ),
    "letters": ({"Y": 7, "y": 2, "N": 8, "n": 1}, {"Y": 9, "N": 9}),
    "two languages": ({"yes": 8, "ja": 3, "no": 6, "Nein": 2}, {"yes": 11, "no": 8}),
    "three languages": ({"oui": 8, "Ja": 3, "si": 1, "non": 6, "no": 2}, {"oui": 12, "non": 8}),
    "true and wahr": ({"TRUE": 8, "wahr": 3, "FALSE": 6, "falsch": 2}, {"TRUE": 11, "FALSE": 8}),
    "yes and 1": ({"yes": 8, "1": 3, "no": 6, "0": 2}, {"yes": 11, "no": 8}),
    "0, 1, yes and no": ({"0": 9, "1": 8, "yes": 2, "no": 1}, {0: 10, 1: 10}),
    "words beside letters": ({"y": 9, "n": 8, "yes": 2, "no": 1}, {"y": 11, "n": 9}),
    "points behind": (
        {"ill": 9, "ill.": 4, "healthy.": 1, "healthy": 9},
        {"ill": 13, "healthy": 10},
    ),
    "whole numbers": ({"1": 9, "2": 8, "1.0": 2}, {1: 11, 2: 8}),
    "spaces around": (
        {" case ": 3, "case": 8, "control": 9, "control ": 1},
        {"case": 11, "control": 10},
    ),
    "spaces inside": (
        {"no  change": 3, "no change": 8, "change": 9},
        {"no change": 11, "change": 9},
    ),
    "hard spaces": (
        {"no\u00a0change": 3, "no change": 8, "change": 9},
        {"no change": 11, "change": 9},
    ),
    "zero-width spaces": ({"case\u200b": 3, "case": 8, "control": 9}, {"case": 11, "control": 9}),
    "two forms of an accent": (
        {"ge\u0301ant": 3, "g\u00e9ant": 8, "nain": 9},
        {"g\u00e9ant": 11, "nain": 9},
    ),
    "hyphens": (
        {"non-responder": 8, "Non responder": 3, "non_responder": 2, "responder": 9},
        {"non-responder": 13, "responder": 9},
    ),
    "positive": (
        {"positive": 8, "pos": 3, "Positiv": 1, "negative": 9, "neg.": 2},
        {"positive": 12, "negative": 11},
    ),
    "one language of three classes": (
        {"Healthy": 8, "healthy": 2, "ill": 9, "ILL": 1, "dead": 5},
        {"Healthy": 10, "ill": 10, "dead": 5},
    ),
}


@pytest.mark.parametrize("name", ONE_CLASS)
def test_one_class_for_one_meaning(name, classes_of):
    written, meant = ONE_CLASS[name]
    table = classes_of(written)
    assert counted(table) == meant
    merged = [note for note in table.notes if "taken as" in note]
    if {word.strip() for word in written} == {*meant}:
        assert not merged
        return
    assert len(merged) == 1
    with pytest.raises(TableError, match="without --read strict=yes: 'ill': class"):
        classes_of(written, strict=True)


@pytest.mark.parametrize("name", ONE_CLASS)
def test_new_tables_get_the_classes_of_the_fit(name, classes_of, tmp_path):
    written, meant = ONE_CLASS[name]
    fitted = classes_of(written)
    encoder = stored(fitted)
    (tmp_path / "new.csv").write_text(text_of([*written]))
    again = read_table(tmp_path / "new.csv", target="ill", encoder=encoder)
    assert set(again.labels.tolist()) == set(meant)


SEVERAL_CLASSES = {
    "genotypes": {"AA": 5, "Aa": 6, "aa": 5},
    "signs": {"+": 8, "-": 9},
    "sex": {"m": 8, "f": 9},
    "German sex": {"m": 8, "w": 9, "d": 4},
    "cases and controls": {"Fall": 8, "Kontrolle": 9},
    "receptors": {"CD4+": 8, "CD4-": 9},
    "stages": {"stage I": 8, "stage II": 9, "stage III": 9},
    "grades": {"grade 1": 8, "grade 2": 9, "grade 3": 3},
    "small stages": {"stage ii": 28, "stage iii": 3},
    "responses": {"CR": 9, "PR": 8, "SD": 7, "PD": 6},
    "short words": {"left": 20, "lift": 3},
    "tumours": {"carcinoid": 40, "carcinoma": 3},
    "subtypes": {"LumA": 18, "LumB": 3, "Her2": 9},
    "negated": {"typical": 28, "atypical": 3},
    "symptoms": {"symptomatic": 28, "asymptomatic": 3},
    "pressure": {"hypotension": 28, "hypertension": 3},
    "no response": {"responder": 28, "non-responder": 3},
    "none is a class": {"none": 9, "mild": 8, "severe": 7},
    "known and unknown": {"known": 9, "unknown": 8},
    "grades as numbers": {"1": 9, "2": 8, "3": 7},
    "minus one": {"-1": 9, "1": 8},
    "digits": {str(i): 5 for i in range(10)},
    "types of hepatitis": {"hepatitis b": 9, "hepatitis c": 3, "healthy": 8},
    "grades of schools": {"A*": 8, "A": 9, "B": 7},
    "letters": dict.fromkeys("ABCDEFGH", 3),
    "numbers of clusters": {str(i): 12 for i in range(26)},
}


@pytest.mark.parametrize("name", SEVERAL_CLASSES)
def test_other_classes_stay_apart_without_a_question(name, classes_of):
    written = SEVERAL_CLASSES[name]
    table = classes_of(written)
    assert {str(label): n for label, n in counted(table).items()} == written
    assert not [note for note in table.notes if "--" in note]


# What is written, a part of the question, the option it names, and the classes with this option.
QUESTIONS = {
    "a letter lost": (
        {"relapse": 26, "relaps": 1, "remission": 20},
        "'relaps' (1 row) looks like 'relapse' (26): --read merge=relaps=relapse",
        {"merge": {"relaps": "relapse"}},
        {"relapse": 27, "remission": 20},
    ),
    "letters exchanged": (
        {"control": 26, "contorl": 2, "case": 20},
        "'contorl' (2 rows) looks like 'control' (26): --read merge=contorl=control",
        {"merge": {"contorl": "control"}},
        {"control": 28, "case": 20},
    ),
    "two ways to spell": (
        {"tumor": 20, "tumour": 18, "normal": 20},
        "'tumour' (18 rows) looks like 'tumor' (20): --read merge=tumour=tumor",
        {"merge": {"tumour": "tumor"}},
        {"tumor": 38, "normal": 20},
    ),
    "a short word": (
        {"krank": 20, "kank": 1, "gesund": 20},
        "'kank' (1 row) looks like 'krank' (20): --read merge=kank=krank",
        {"merge": {"kank": "krank"}},
        {"krank": 21, "gesund": 20},
    ),
    "letters of a short word": (
        {"high": 20, "hihg": 1, "low": 20},
        "'hihg' (1 row) looks like 'high' (20): --read merge=hihg=high",
        {"merge": {"hihg": "high"}},
        {"high": 21, "low": 20},
    ),
    "a word cut": (
        {"malignant": 20, "malign": 15, "benign": 20},
        "'malign' (15 rows) looks like 'malignant' (20): --read merge=malign=malignant",
        {"merge": {"malign": "malignant"}},
        {"malignant": 35, "benign": 20},
    ),
    "short words": (
        {"M": 20, "m": 2, "W": 18},
        "'m' (2 rows) looks like 'M' (20): --read merge=m=M",
        {"merge": {"m": "M"}},
        {"M": 22, "W": 18},
    ),
    "a sign behind": (
        {"case": 20, "case?": 2, "control": 18},
        "'case?' (2 rows) looks like 'case' (20): --read merge='case?=case'",
        {"merge": {"case?": "case"}},
        {"case": 22, "control": 18},
    ),
    "a footnote": (
        {"Doença": 20, "Doença*": 18, "Controlo": 18},
        "'Doença*' (18 rows) looks like 'Doença' (20): --read merge='Doença*=Doença'",
        {"merge": {"Doença*": "Doença"}},
        {"Doença": 38, "Controlo": 18},
    ),
    "a raised number": (
        {"ill": 20, "control\u00b2": 9, "control": 18},
        "'control\u00b2' (9 rows) looks like 'control' (18): --read merge='control\u00b2=control'",
        {"merge": {"control\u00b2": "control"}},
        {"ill": 20, "control": 27},
    ),
    "an accent and a blank": (
        {"pré op": 20, "preop": 12, "postop": 18},
        "'preop' (12 rows) looks like 'pré op' (20): --read merge='preop=pré op'",
        {"merge": {"preop": "pré op"}},
        {"pré op": 32, "postop": 18},
    ),
    "one letter": (
        {"yes": 20, "no": 18, "maybe": 9, "y": 6},
        "'y' (6 rows) looks like 'yes' (20): --read merge=y=yes",
        {"merge": {"y": "yes"}},
        {"yes": 26, "no": 18, "maybe": 9},
    ),
    "a short word of sex": (
        {"male": 20, "female": 18, "m": 7},
        "'m' (7 rows) looks like 'male' (20): --read merge=m=male",
        {"merge": {"m": "male"}},
        {"male": 27, "female": 18},
    ),
    "sex in two languages": (
        {"weiblich": 20, "male": 18, "female": 7},
        "'female' (7 rows) looks like 'weiblich' (20): --read merge=female=weiblich",
        {"merge": {"female": "weiblich"}},
        {"weiblich": 27, "male": 18},
    ),
    "controls in two languages": (
        {"Kontrolle": 20, "Fall": 18, "control": 12},
        "'control' (12 rows) looks like 'Kontrolle' (20): --read merge=control=Kontrolle",
        {"merge": {"control": "Kontrolle"}},
        {"Kontrolle": 32, "Fall": 18},
    ),
    "never and no": (
        {"ja": 20, "nein": 18, "nie": 12},
        "'nie' (12 rows) looks like 'nein' (18): --read merge=nie=nein",
        {"merge": {"nie": "nein"}},
        {"ja": 20, "nein": 30},
    ),
    "a rare class": (
        {"case": 20, "other": 2, "control": 18},
        "class 'other' of target 'ill' has 2 rows, too few to learn from",
        {"missing": ["ill=other"]},
        {"case": 20, "control": 18},
    ),
    "9 beside 0 and 1": (
        {"0": 20, "1": 18, "9": 3},
        "class 9 (3 rows) of 'ill' looks like a code for a missing value: --read missing=ill=9",
        {"missing": ["ill=9"]},
        {0: 20, 1: 18},
    ),
    "99 beside 1 and 2": (
        {"1": 20, "2": 18, "99": 3},
        "class 99 (3 rows) of 'ill' looks like a code for a missing value: --read missing=ill=99",
        {"missing": ["ill=99"]},
        {1: 20, 2: 18},
    ),
    "-9 beside 1 and 2": (
        {"1": 20, "2": 18, "-9": 1},
        "class -9 (1 row) of 'ill' looks like a code for a missing value: --read missing=ill=-9",
        {"missing": ["ill=-9"]},
        {1: 20, 2: 18},
    ),
    "99 beside words": (
        {"yes": 20, "no": 18, "99": 3},
        "class 99 (3 rows) of 'ill' looks like a code for a missing value: --read missing=ill=99",
        {"missing": ["ill=99"]},
        {"yes": 20, "no": 18},
    ),
    "few none": (
        {"case": 30, "control": 28, "none": 2},
        "class 'none' (2 rows) of 'ill' looks like a missing value: --read missing=ill=none",
        {"missing": ["ill=none"]},
        {"case": 30, "control": 28},
    ),
    "a few numbers": (
        {str(i): 30 for i in range(2, 14)},
        "target 'ill' has 12 numbers as classes; if it is a quantity: --read cut=ill=8",
        {"cut": {"ill": [8]}},
        {"<8": 180, ">=8": 180},
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_names_the_option_that_answers_it(name, classes_of):
    written, question, options, meant = QUESTIONS[name]
    asked = [note for note in classes_of(written).notes if "--" in note]
    assert any(question in note for note in asked), asked
    answered = classes_of(written, **options)
    assert counted(answered) == meant
    assert not [note for note in answered.notes if "--" in note]


MISSING = {
    "german": ({"case": 9, "control": 8, "unbekannt": 3, "k.A.": 1}, {"case": 9, "control": 8}),
    "dotted": ({"yes": 9, "no": 8, "n.a.": 3}, {"yes": 9, "no": 8}),
    "not determined": ({"pos": 9, "neg": 8, "nicht bestimmt": 1}, {"pos": 9, "neg": 8}),
    "unknown": ({"pos": 9, "neg": 8, "Unknown": 4}, {"pos": 9, "neg": 8}),
    "among numbers": ({"0": 9, "1": 8, "missing": 4}, {0: 9, 1: 8}),
    "dashes": ({"a1": 9, "b1": 8, "\u2013": 2, "-": 1}, {"a1": 9, "b1": 8}),
    "of spreadsheets": ({"a1": 9, "b1": 8, "#NV": 2, "#N/A": 1}, {"a1": 9, "b1": 8}),
}


@pytest.mark.parametrize("name", MISSING)
def test_words_for_missing_are_missing_in_the_target(name, classes_of, tmp_path):
    written, meant = MISSING[name]
    table = classes_of(written)
    assert counted(table) == meant
    n_lacking = sum(written.values()) - sum(meant.values())
    (note,) = [note for note in table.notes if "rows without a class" in note]
    assert note.startswith(f"rows without a class in 'ill' left out: {n_lacking}")
    (tmp_path / "new.csv").write_text(text_of([*written]))
    options = {"target": "ill", "encoder": table.encoding}
    again = read_table(tmp_path / "new.csv", only_labelled=True, **options)
    assert set(again.labels.tolist()) == set(meant)
    later = read_table(tmp_path / "new.csv", **options)
    assert later.labels is None


@pytest.mark.parametrize("word", ["unknown", "null", "NA", "?"])
def test_a_word_for_missing_can_be_made_a_class(word, classes_of, tmp_path):
    written = {"case": 9, "control": 8, word: 6}
    option = shlex.quote(f"{word}=NAME")
    about = (
        f"{word!r} (6) of target 'ill' taken as missing; to make it a class: --read merge={option}"
    )
    assert about in classes_of(written).notes
    table = classes_of(written, merge={word: "open"})
    assert counted(table) == {"case": 9, "control": 8, "open": 6}
    (tmp_path / "new.csv").write_text(text_of([word, "case"]), "utf-8")
    again = read_table(tmp_path / "new.csv", target="ill", encoder=stored(table))
    assert again.labels.tolist() == ["open", "case"]


def ages(values, name="age"):
    rows = [f"p{i},{(i * 37) % 101 + 0.5},{value}" for i, value in enumerate(values)]
    return "\n".join([f"id,crp,{name}", *rows]) + "\n"


YEARS = [20 + (i * 7) % 61 for i in range(60)] + [40, 41]
NUMBERS = {
    "whole": (YEARS, "target 'age' has 60 different numbers, such as '20'"),
    "with decimals": ([f"{y}.5" for y in YEARS], "target 'age' holds measurements"),
    "with decimal commas": ([f'"{y},5"' for y in YEARS], "target 'age' holds measurements"),
    "with a unit": ([f"{y} years" for y in YEARS], "target 'age' has 60 different numbers"),
    "few rows of each": ([i % 12 for i in range(30)], "target 'age' has 12 different numbers"),
    "all different": ([*range(20, 60)], "target 'age' has a different value in each row"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_many_numbers_are_refused_and_can_be_cut(name, table_of):
    values, why = NUMBERS[name]
    with pytest.raises(TableError) as error:
        table_of(ages(values), target="age")
    assert why in str(error.value)
    option = str(error.value).rpartition("--read cut=age=")[2].rstrip(".")
    assert len(str(error.value).splitlines()) == 1
    table = table_of(ages(values), target="age", cut={"age": [float(option)]})
    limit = f"{float(option):g}"
    numbers = [float(str(v).strip('"').replace(",", ".").split()[0]) for v in values]
    meant = [f"<{limit}" if v < float(option) else f">={limit}" for v in numbers]
    assert table.labels.tolist() == meant
    assert 0.3 < np.mean([label.startswith("<") for label in meant]) < 0.7
    assert table.features.columns.tolist() == ["crp"]


def test_several_limits_missing_ages_and_new_tables(table_of, tmp_path):
    values = [30, 49, 50, 64, 65, 80, "", "unbekannt"] * 3
    table = table_of(ages(values), target="age", cut={"age": [65, 50]})
    assert table.labels.tolist() == ["<50", "<50", "50 to <65", "50 to <65", ">=65", ">=65"] * 3
    assert "'age': cut into the classes '<50', '50 to <65', '>=65'" in table.notes
    encoder = stored(table)
    (tmp_path / "new.csv").write_text(ages([70, 20]))
    again = read_table(tmp_path / "new.csv", target="age", encoder=encoder)
    assert again.labels.tolist() == [">=65", "<50"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"cut": {"crp": [5]}}, "the cut is of 'crp', and the target is 'ill'"),
        ({"cut": {"ill": [5]}}, "row 1, is 'case', which is not a number to cut"),
        ({"merge": {"cas": "control"}}, "has no class 'cas' to merge. Did you mean 'case'?"),
        ({"merge": {"case": "control"}}, "has one class, 'control', in all rows"),
        ({"missing": ["il=9"]}, "has no column 'il' for missing. Did you mean 'ill'?"),
    ],
)
def test_options_that_do_not_fit_the_table(options, why, classes_of):
    with pytest.raises(TableError) as error:
        classes_of({"case": 5, "control": 6}, **options)
    assert why in str(error.value)


def test_a_cut_that_leaves_one_class(table_of):
    with pytest.raises(TableError, match="target 'age' has one class, '<100', in all rows"):
        table_of(ages(YEARS), target="age", cut={"age": [100]})


def test_other_spellings_in_new_tables_are_the_classes_of_the_fit(classes_of, tmp_path):
    """The table of the fit had one spelling of each."""
    table = classes_of({"yes": 5, "no": 6})
    (tmp_path / "new.csv").write_text(text_of(["Yes", " no", "NO", "YES"]))
    again = read_table(tmp_path / "new.csv", target="ill", encoder=table.encoding)
    assert again.labels.tolist() == ["yes", "no", "no", "yes"]
