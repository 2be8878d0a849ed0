"""The search for faults, itself: a small part of it, and faults planted for it to find."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from crashing import crash_at_3

import bicneuron
from bicneuron.neurons import OnlinePerceptron
from bicneuron.tables import read_table
from hardening import _estimators, _mutants, _tables
from hardening.__main__ import main
from hardening._children import Child
from hardening._estimators import try_estimator
from hardening._judge import BAD, REFUSED, judge
from hardening._signals import flaws

ROOT = Path(__file__).parents[1]


class Forgetful(OnlinePerceptron):
    def decision_function(self, X):
        return np.full(len(X), np.nan)


class Warner(OnlinePerceptron):
    def fit(self, X, y):
        np.log(np.zeros(1))
        return super().fit(X, y)


class Failing(OnlinePerceptron):
    def fit(self, X, y):
        np.linalg.inv(np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (OnlinePerceptron, None),
        (Forgetful, "decision_function gives NaN"),
        (Warner, "RuntimeWarning: divide by zero"),
        (Failing, "LinAlgError: Singular matrix"),
    ],
)
def test_faults_of_an_estimator(kind, said, monkeypatch, capsys):
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    monkeypatch.setattr(_estimators, "_draw_estimator", lambda *_: kind())
    monkeypatch.setattr(_estimators, "_draw_table", lambda _: (X, y))
    code = main(["fuzz", "--kind", "estimators", "--seed", "5", "--case", "7"])
    printed = capsys.readouterr().out
    assert code == (0 if said is None else 1)
    if said is not None:
        assert f"BAD estimators 7: {said}" in printed.replace("WrongAnswerError: ", "")
        assert "repeat: python -m hardening fuzz --kind estimators --seed 5 --case 7\n" in printed


def test_an_error_of_a_library_is_no_refusal_wherever_the_project_is():
    library = "/home/me/bicneuron/.venv/lib/python3/site-packages/numpy/linalg.py"
    own = os.path.join(os.path.dirname(bicneuron.__file__), "network", "_network.py")
    for place, kind in ((library, BAD), (own, REFUSED)):
        scope = {}
        exec(compile("def fit(X, y):\n    raise ValueError('no')", place, "exec"), scope)
        estimator = SimpleNamespace(fit=scope["fit"])
        outcome = judge(lambda *_, one=estimator: try_estimator(one, None, None), None, None)
        assert outcome.kind == kind


def test_a_reader_that_drops_a_row(monkeypatch, capsys):
    def careless(path, **options):
        table = read_table(path, **options)
        object.__setattr__(table, "features", table.features.iloc[1:])
        object.__setattr__(table, "labels", table.labels[1:])
        return table

    def code_of(number):
        return main(["fuzz", "--kind", "tables", "--seed", "0", "--case", str(number)])

    number = next(
        n for n in range(100) if code_of(n) == 0 and "\nok" in "\n" + capsys.readouterr().out
    )
    monkeypatch.setattr(_tables, "read_table", careless)
    assert code_of(number) == 1
    printed = capsys.readouterr().out
    assert " rows became " in printed
    assert f"repeat: python -m hardening fuzz --kind tables --seed 0 --case {number}\n" in printed


def test_a_crash_costs_one_case():
    child = Child(crash_at_3, 60.0)
    try:
        outcomes = [child(number) for number in (2, 3, 4)]
    finally:
        child.close()
    assert [outcome.kind for outcome in outcomes] == ["ok", "BAD", "ok"]
    assert outcomes[1].said == "the process ended: SIGSEGV"


def test_files_that_are_not_whole(tmp_path):
    whole = {"labels.csv": b"a,b\n1,2\n", "page.html": b"<html></html>"}
    (tmp_path / "page.html").write_bytes(whole["page.html"])
    assert flaws(tmp_path, whole) == []
    (tmp_path / "labels.csv").write_bytes(b"a,b\n1")
    (tmp_path / ".1f.part").write_bytes(b"")
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "0.json").write_text('{"acc": 1.0, "sha256": "0"}')
    assert flaws(tmp_path, whole) == [
        ".1f.part is left",
        "labels.csv differs from that of an undisturbed run",
        "records/0.json is damaged",
    ]


@pytest.mark.parametrize("fault", _mutants.PLANTED, ids=lambda fault: fault.title)
def test_places_of_planted_faults(fault):
    """`make mutants` plants them: the text is still there, once, and so are the tests."""
    assert (ROOT / fault.part.files).read_text().count(fault.before) == 1
    assert all((ROOT / test).is_file() for test in fault.part.tests)
