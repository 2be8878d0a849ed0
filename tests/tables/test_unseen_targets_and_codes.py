"""Further targets and codes, written before the rules and not looked at while these were made.

A table is read as it is meant, or a note names the option with which it is.
"""

from collections import Counter

import pandas as pd
import pytest

from bicneuron.exceptions import TableError


def text_of(counts, name="status"):
    words = [word for word, n in counts.items() for _ in range(n)]
    frame = pd.DataFrame(
        {
            "sample": [f"s{i}" for i in range(len(words))],
            "ldh": [(i * 53) % 211 + 0.25 for i in range(len(words))],
            name: words,
        }
    )
    return frame.to_csv(index=False)


# What is written, what is meant, and the options that are needed for it: None if a note must name
# none, otherwise the option that a note must name and its arguments.
TARGETS = {
    "swedish": ({"Ja": 9, "JA": 2, "nej": 8, "Nej": 1}, {"Ja": 11, "nej": 9}, None, {}),
    "t and true": ({"true": 9, "T": 2, "false": 8, "F": 1}, {"true": 11, "false": 9}, None, {}),
    "portuguese": ({"sim": 9, "Sim ": 2, "não": 8, "nao": 1}, {"sim": 11, "não": 9}, None, {}),
    "tabs": ({"ill\t": 2, "ill": 9, "well": 8}, {"ill": 11, "well": 8}, None, {}),
    "slash": ({"HIV+": 9, "HIV-": 8}, {"HIV+": 9, "HIV-": 8}, None, {}),
    "wild type": (
        {"wild type": 9, "wild-type": 2, "Mutant": 8},
        {"wild type": 11, "Mutant": 8},
        None,
        {},
    ),
    "progress": (
        {"progression": 20, "progresion": 2, "stable": 30},
        {"progression": 22, "stable": 30},
        "--read merge=progresion=progression",
        {"merge": {"progresion": "progression"}},
    ),
    "deceased": (
        {"deceased": 20, "decesaed": 1, "alive": 30},
        {"deceased": 21, "alive": 30},
        "--read merge=decesaed=deceased",
        {"merge": {"decesaed": "deceased"}},
    ),
    "cut short": (
        {"metastatic": 20, "metastat": 1, "local": 30},
        {"metastatic": 21, "local": 30},
        "--read merge=metastat=metastatic",
        {"merge": {"metastat": "metastatic"}},
    ),
    "with a dot": ({"dead": 20, "dead.": 2, "alive": 30}, {"dead": 22, "alive": 30}, None, {}),
    "999": (
        {"0": 20, "1": 19, "999": 2},
        {0: 20, 1: 19},
        "--read missing=status=999",
        {"missing": ["status=999"]},
    ),
    "-1": (
        {"0": 20, "1": 19, "2": 12, "-99": 2},
        {0: 20, 1: 19, 2: 12},
        "--read missing=status=-99",
        {"missing": ["status=-99"]},
    ),
    "no answer": (
        {"a lot": 20, "little": 19, "keine Angabe": 4},
        {"a lot": 20, "little": 19},
        None,
        {},
    ),
    "not tested": (
        {"mut": 20, "wt": 19, "not tested": 4, "n.d.": 2},
        {"mut": 20, "wt": 19},
        None,
        {},
    ),
    "left and right": (
        {"left": 20, "Left": 1, "right": 19, "RIGHT": 2},
        {"left": 21, "right": 21},
        None,
        {},
    ),
    "tumours": ({"T1a": 8, "T1b": 9, "T2": 4}, {"T1a": 8, "T1b": 9, "T2": 4}, None, {}),
    "species": (
        {"setosa": 9, "versicolor": 9, "virginica": 9},
        {"setosa": 9, "versicolor": 9, "virginica": 9},
        None,
        {},
    ),
    "cells": ({"CD4 T": 30, "CD8 T": 3, "B": 9}, {"CD4 T": 30, "CD8 T": 3, "B": 9}, None, {}),
    "diabetes": ({"type 1": 3, "type 2": 40}, {"type 1": 3, "type 2": 40}, None, {}),
    "male, female": ({"male": 3, "female": 40}, {"male": 3, "female": 40}, None, {}),
}


@pytest.mark.parametrize("name", TARGETS)
def test_targets(name, table_of):
    written, meant, option, arguments = TARGETS[name]
    table = table_of(text_of(written), target="status")
    asked = [note for note in table.notes if "--read merge" in note or "--read missing" in note]
    if option is None:
        asked = [note for note in asked if "=NAME" not in note]
        assert not asked
    else:
        assert any(option in note for note in asked), asked
        table = table_of(text_of(written), target="status", **arguments)
    assert dict(Counter(table.labels.tolist())) == meant


@pytest.mark.parametrize(
    "values",
    [
        [(i * 17) % 43 for i in range(90)],  # a score of 0 to 42
        [round(1.2 ** (i % 30)) for i in range(120)],  # days in hospital
        [f"{50 + (i * 7) % 51}%" for i in range(80)],
    ],
)
def test_quantities_are_refused_with_a_cut(values, table_of):
    with pytest.raises(TableError, match=r"--read cut=score=\d+\.$"):
        table_of(text_of(dict(Counter(map(str, values))), "score"), target="score")


def column(values):
    return pd.DataFrame({"v": values, "w": [(i * 29) % 83 + 0.5 for i in range(len(values))]})


CODES = {
    "height": ([160 + i % 30 for i in range(50)] + [-9] * 3, "-9"),
    "months": ([(i * 7) % 60 for i in range(50)] + [999] * 4, "999"),
    "grade": ([1 + i % 3 for i in range(50)] + [9] * 4, "9"),
    "ph": ([7 + (i % 9) / 20 for i in range(50)] + [99.0, 99.0], "99"),
    "haemoglobin": ([11 + (i % 50) / 10 for i in range(50)] + [-99.0] * 5, "-99"),
    "counts": ([4000 + 37 * i for i in range(50)] + [99999] * 2, "99999"),
    "scores": ([i % 28 for i in range(50)] + [-8, -8, -8], "-8"),
    "age": ([18 + i % 50 for i in range(50)] + [-1, -1], "-1"),
    "bmi": ([19 + (i % 40) / 3 for i in range(50)] + [888.0] * 3, "888"),
}


@pytest.mark.parametrize("name", CODES)
def test_codes(name, table_of):
    values, code = CODES[name]
    notes = table_of(column(values).to_csv(index=False)).notes
    assert any(note.endswith(f"--read missing={code}") for note in notes), notes


VALUES = {
    "score": [i % 10 for i in range(60)],
    "pack years": [0] * 30 + [(i * 3) % 40 for i in range(30)],
    "charge": [i % 5 - 2 for i in range(60)],
    "log ratio": [(i % 41 - 20) / 4 for i in range(58)] + [-9.0, -9.0],
    "copies": [10**i for i in range(6)] * 10,
    "siblings": [0, 1, 1, 2, 2, 2, 3, 3, 4, 5] * 6,
    "platelets": [150 + (i * 13) % 300 for i in range(60)],
    "per mille": [(i * 7) % 1000 for i in range(999)],
    "saturation": [90 + i % 10 for i in range(60)],
    "one": [1] * 59 + [2],
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name, table_of):
    notes = table_of(column(VALUES[name]).to_csv(index=False)).notes
    assert not [note for note in notes if "--read missing" in note]
