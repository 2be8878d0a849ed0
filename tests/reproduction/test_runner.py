"""Runs that are cut short, go on, or cannot be run."""

from functools import partial

import pytest
from data import make_one_factor
from sklearn.dummy import DummyClassifier

from reproduction._folds import Fold
from reproduction._models import MODELS, Model, rival
from reproduction._problems import Problem
from reproduction._protocols import CLEAN
from reproduction._runner import read_finished, run_folds
from reproduction.exceptions import DamagedRecordWarning, FailedFoldError


class Failing(DummyClassifier):
    def fit(self, X, y):
        raise ArithmeticError("it does\nnot add up")


@pytest.fixture(scope="module")
def folds():
    problem = Problem.from_labels("made-up", *make_one_factor())
    smaller = Problem.from_labels("smaller", *make_one_factor(n_columns=4))
    return [
        Fold(CLEAN, each, MODELS[name], index, 0)
        for each in (smaller, problem)
        for name in ("SP", "Perceptron")
        for index in range(CLEAN.n_folds)
    ]


def results(records):
    return sorted(
        (record.dataset, record.model, record.fold, record.acc, record.score_auc)
        for record in records
    )


def contents(out):
    return {path: path.read_bytes() for path in out.rglob("*.json")}


def test_a_run_goes_on_where_it_was_left(folds, tmp_path):
    folds = folds[::4]
    started = run_folds(folds, tmp_path)
    first = [next(started) for _ in range(4)]
    started.close()
    kept = contents(tmp_path)
    assert len(kept) == 4
    finished, missing = read_finished(folds, tmp_path)
    assert results(finished) == results(first)
    rest = list(run_folds(missing, tmp_path))
    assert kept.items() <= contents(tmp_path).items(), "a finished fold was run again"
    whole, missing = read_finished(folds, tmp_path)
    assert missing == []
    assert results(whole) == results([*finished, *rest])


def test_the_result_does_not_depend_on_the_number_of_processes(folds, tmp_path):
    alone = list(run_folds(folds[::10], tmp_path / "one", n_jobs=1))
    together = list(run_folds(folds[::10], tmp_path / "two", n_jobs=2))
    assert results(alone) == results(together)


@pytest.mark.parametrize("force", [False, True])
def test_a_damaged_record_is_run_again_and_said_aloud(folds, tmp_path, force):
    few = folds[:3]
    whole = results(run_folds(few, tmp_path))
    path = tmp_path / few[1].path
    path.write_text(path.read_text().replace('"acc": 0', '"acc": 1'))
    with pytest.warns(DamagedRecordWarning, match=rf"^{path} is damaged.* is run again\.$"):
        finished, missing = read_finished(few, tmp_path, force=force)
    assert [record.fold for record in finished] == [0, 2]
    assert missing == [few[1]]
    assert results([*finished, *run_folds(missing, tmp_path)]) == whole
    path.write_text('{"any": "thing"}')
    finished, missing = read_finished(few, tmp_path, force=True)
    assert ([record.fold for record in finished], missing) == ([0, 2], [few[1]])


def test_a_fold_that_fails_is_named_and_the_others_are_kept(folds, tmp_path):
    failing = Model("failing", partial(rival, estimator=Failing()))
    bad = Fold(folds[0].protocol, folds[0].problem, failing, 5, 0)
    list(run_folds(folds[:2], tmp_path))
    message = (
        r"fold 5 of failing on smaller \(clean protocol\) failed: ArithmeticError: it does not"
    )
    with pytest.raises(FailedFoldError, match=message):
        list(run_folds([bad], tmp_path))
    assert len(contents(tmp_path)) == 2
