"""From a table to findings, by the commands."""

import pandas as pd
import pytest

from bicneuron.datasets import make_subgroup
from bicneuron.persistence import load_model
from bicneuron.significance import significance_test


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """45 of 50 patients differ in 12 of 120 columns."""
    X, y, _, columns = make_subgroup(n_columns=120, as_frame=True, random_state=0)
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    X.assign(diagnosis=y).to_csv(path)
    return path, set(X.columns[columns])


def test_a_finding_goes_from_the_table_to_the_list_also_where_all_is_quiet(
    table, tmp_path, run, answer_of
):
    path, planted = table
    fit = ["fit", path, "--target", "diagnosis", "--seed", "3", "--folds", "2"]
    fitted = answer_of(*fit, "-o", tmp_path / "aloud.skops")
    told = "more often patient than chance gives (p = 0.001, corrected for all groups)"
    assert told in fitted["answer"]
    assert "verdict" not in fitted["patterns"][0]
    assert fitted["patterns"][0]["found_in_folds"] == "2 of 2"
    assert run(*fit, "--quiet", "-o", tmp_path / "quiet.skops") == ("", "")
    aloud, quiet = (load_model(tmp_path / f"{name}.skops")[-1] for name in ("aloud", "quiet"))
    X, y, _, _ = make_subgroup(n_columns=120, as_frame=True, random_state=0)
    expected = significance_test(quiet, X, y, random_state=3)
    for model, n_folds in ((aloud, 2), (quiet, None)):
        evidence = [pattern.evidence for pattern in model.patterns_]
        assert evidence[0].p_value == expected.p_values[0]
        assert evidence[0].family_p_value == expected.family_p_values[0]
        assert {one.n_folds for one in evidence} == {n_folds}
    genes = tmp_path / "p.columns.csv"
    run("find", path, "--target", "diagnosis", "-o", genes)
    lines = pd.read_csv(genes)
    listed = set(lines["column"][lines["proven"] & lines["in_pattern"]])
    assert len(listed & planted) >= 11
    assert len(listed - planted) <= 1
