"""The search for faults, itself: a small part of it, and faults planted for it to find."""

import os
import re
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


@pytest.mark.slow
def test_a_small_part(capsys):
    code = main(["fuzz", "--cases", "20", "--jobs", "1"])
    printed = capsys.readouterr().out
    assert code == 0, printed
    counts = [line.split() for line in printed.splitlines()[1:-1]]
    assert {kind: int(ok) + int(refused) for kind, ok, refused, bad in counts} == {
        "estimators": 8,
        "tables": 5,
        "models": 4,
        "records": 3,
    }
    assert sum(int(ok) for _, ok, _, _ in counts) >= 5, "nearly all is refused"


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


def test_mutants_of_a_small_project(tmp_path, monkeypatch):
    """One of two functions has a test; the file of the project itself is never changed."""
    pytest.importorskip("cosmic_ray", reason="make mutants installs it")
    source = tmp_path / "src" / "bicneuron" / "small" / "_add.py"
    source.parent.mkdir(parents=True)
    (source.parents[1] / "__init__.py").touch()
    source.write_text("def add(a, b):\n    return a + b\n\n\ndef halve(a):\n    return a / 2.0\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_add.py").write_text(
        "from bicneuron.small._add import add\n\n\ndef test_add():\n    assert add(3, 4) == 7\n"
    )
    part = _mutants.Part("src/bicneuron/small/_*.py", ("tests",))
    monkeypatch.setattr(_mutants, "ROOT", tmp_path)
    monkeypatch.setattr(_mutants, "PARTS", {"small": part})
    before = source.read_text()
    (alive, none_bad), (summary, bad) = _mutants.mutants(99, 0, "small", 1)
    noticed, tried = re.search("small: ([0-9]+) of ([0-9]+)$", alive).groups()
    assert 0 < int(noticed) < int(tried)
    assert "+    return a * 2.0" in alive
    assert "+    return a - b" not in alive
    assert summary == f"{noticed} of {tried} mutants noticed, seed 0"
    assert (none_bad, bad) == (0, 1)
    assert source.read_text() == before


@pytest.mark.parametrize("fault", _mutants.PLANTED, ids=lambda fault: fault.title)
def test_places_of_planted_faults(fault):
    """`make mutants` plants them: the text is still there, once, and so are the tests."""
    assert (ROOT / fault.part.files).read_text().count(fault.before) == 1
    assert all((ROOT / test).is_file() for test in fault.part.tests)
