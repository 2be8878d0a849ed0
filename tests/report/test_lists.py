"""Lists of columns and rows for other tools; tests/contract recomputes the means of all models."""

import io

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from scipy.sparse import csr_array
from sklearn.base import clone

from bicneuron import BicNeuronNetwork, SubgroupBiclustering
from bicneuron.datasets import make_subgroup, make_subgroups
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import pattern_lists, pattern_records
from bicneuron.report._lists import csv_text
from bicneuron.significance import column_evidence


def with_gaps(X):
    """A frame with names and some missing cells; none in the first column."""
    frame = pd.DataFrame(X, columns=[f"gene {k}" for k in range(X.shape[1])])
    frame = frame.mask(np.random.default_rng(1).random(X.shape) < 0.05)
    frame.iloc[:, 0] = X[:, 0]
    return frame.set_axis([f"row {k}" for k in range(len(X))])


@pytest.fixture(scope="module")
def network():
    X, y = make_three()
    X, y = with_gaps(X), np.array(["ill", "well", "unknown"])[y]
    model = BicNeuronNetwork(n_neurons=6, neuron_kinds=[GaussianNeuron()], random_state=0)
    return model.fit(X, y), X, y


@pytest.fixture(scope="module")
def groups():
    X, y, *_ = make_subgroup(60, 50, group_shape=(12, 8), shift=4, random_state=0)
    return SubgroupBiclustering(n_patterns=2).fit(with_gaps(X), y), with_gaps(X), y


def sides_of(model, number, X):
    """Rows of the group and of the contrast of a pattern, which is counted from 1, by name."""
    pattern = model.patterns_[number - 1]
    if pattern.axis is not None:
        inside = model.carriers(X)[:, number - 1]
        return X.index[inside], X.index[~inside]
    return X.index[pattern.rows], X.index[pattern.contrast_rows]


def test_each_column_of_each_pattern_once_with_its_classes(network):
    model, X, y = network
    lists = pattern_lists(model, X, y)
    for number, pattern in enumerate(model.patterns_, start=1):
        lines = [line for line in lists.columns if line["pattern"] == number]
        ranked = X.columns[pattern.ranked_columns].tolist()
        assert [line["column"] for line in lines] == ranked
        assert [line["rank"] for line in lines] == [*range(1, len(lines) + 1)]
        sides = {(line["group"], line["contrast"]) for line in lines}
        assert sides == {(pattern.anchor_class, pattern.contrast_class)}


def test_the_ranking_shares_out_the_patterns(network):
    model, X, y = network
    with pytest.warns(NoContrastivePairWarning):
        some = classifier(max_ratio=0.05).fit(X, y)
    assert {pattern.kind for pattern in some.patterns_} == {"pair", "class"}
    for one in (model, some, classifier(max_ratio=9.0).fit(X, y)):
        ranking = pattern_lists(one, X, y).ranking
        importance = [line["importance"] for line in ranking]
        assert importance == sorted(importance, reverse=True)
        # By hand: a pattern's strength is divided by the distances between the centres of a
        # network, or the weights; each problem of a classifier is as important.
        total = sum(pattern.strength for pattern in model.patterns_)
        by_hand, found_in = dict.fromkeys(X.columns, 0.0), {name: [] for name in X.columns}
        for number, pattern in enumerate(one.patterns_, start=1):
            share, sizes = 1 / 3, np.abs(pattern.weights)
            if one is model:
                share = pattern.strength / total
                sizes = np.abs(pattern.neuron.centroids[0] - pattern.neuron.centroids[1])
            for column, size in zip(pattern.columns, sizes, strict=True):
                by_hand[X.columns[column]] += share * size / sizes.sum()
                found_in[X.columns[column]].append(str(number))
        for line in ranking:
            assert line["importance"] == pytest.approx(by_hand[line["column"]])
            assert line["patterns"] == " ".join(found_in[line["column"]])


@pytest.mark.parametrize("kind", ["network", "groups"])
def test_rows_have_their_side_class_and_score(kind, request):
    model, X, y = request.getfixturevalue(kind)
    lists = pattern_lists(model, X, y)
    scores = {}
    for number in {line["pattern"] for line in lists.rows}:
        for side, names in zip(("group", "contrast"), sides_of(model, number, X), strict=True):
            lines = [
                line for line in lists.rows if (line["pattern"], line["side"]) == (number, side)
            ]
            assert {line["row"] for line in lines} == set(names)
            own = [line["score"] for line in lines]
            assert own == sorted(own, reverse=True)
            scores.setdefault(side, []).extend(own)
            known = pd.Series(model.pattern_scores(X)[:, number - 1], index=X.index)
            assert own == pytest.approx(known[[line["row"] for line in lines]].tolist())
    assert all(y[X.index.get_loc(line["row"])] == line["class"] for line in lists.rows)
    # The neurons were trained to tell both sides apart.
    assert np.mean(np.array(scores["group"]) > 0) > 0.8
    assert np.mean(scores["contrast"]) < 0


def test_a_model_without_a_pair_compares_whole_classes():
    X, y = make_one_factor()
    X, y = with_gaps(X), np.array(["ill", "well"])[y]
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    lists, without = pattern_lists(model, X, y), pattern_lists(model, X)
    assert len(lists.columns) == len(lists.ranking) == X.shape[1]
    for line, other in zip(lists.columns, without.columns, strict=True):
        assert line["mean_in_group"] == other["mean_in_group"] == line["mean of well"]
        assert line["mean_in_contrast"] == line["mean of ill"]
        assert not [key for key in other if key.startswith("mean of")]
    assert {line["class"] for line in without.rows} == {None}


def test_planted_columns_rank_first_though_most_strengths_are_negative():
    made = make_subgroups("shift", shift=1.5, n_columns=300, random_state=1)
    (planted,) = made.groups
    miner = SubgroupBiclustering().fit(made.X, made.y)
    strongest = miner.patterns_[0]
    assert sum(group.strength for group in miner.patterns_) < 0, "shares of it would be negative"
    ranking = pattern_lists(miner, made.X, made.y).ranking
    importance = [line["importance"] for line in ranking]
    assert min(importance) >= 0
    assert sum(importance) == pytest.approx(1)
    found = np.intersect1d(strongest.columns, planted.columns)
    first = {line["column"] for line in ranking[: len(strongest.columns)]}
    assert {f"x{column}" for column in found} <= first
    # Columns of groups with a negative strength alone have no importance.
    clear = {column for group in miner.patterns_ if group.strength > 0 for column in group.columns}
    assert {line["column"] for line in ranking if line["importance"]} == {f"x{c}" for c in clear}


def test_a_group_is_described_by_its_carriers(groups):
    _, X, y = groups
    for labels, words in ((y, " of a pattern of patient"), (None, "")):
        miner = SubgroupBiclustering(n_patterns=1).fit(X, labels)
        n = int(miner.carriers(X).sum())
        _, description, _ = pattern_lists(miner, X).gene_sets[0]
        assert description == f"higher in {n} carriers{words} than in the {60 - n} other rows"


def test_patterns_of_several_labels_per_row_name_both_sides(network):
    _, X, y = network
    labels = np.column_stack([y == "ill", X["gene 0"] > 0]).astype(int)
    model = BicNeuronNetwork(n_neurons=4, neuron_kinds=[GaussianNeuron()], random_state=0)
    model.fit(X, labels)
    lists = pattern_lists(model, X)
    sides = {(line["group"], line["contrast"]) for line in lists.columns}
    assert sides <= {("0", "not 0"), ("not 0", "0"), ("1", "not 1"), ("not 1", "1")}
    for line in lists.rows:
        own = model.patterns_[line["pattern"] - 1]
        carries = labels[X.index.get_loc(line["row"]), own.neuron.target] == 1
        is_own = str(own.anchor_class).startswith("not") != carries
        assert line["side"] == ("group" if is_own else "contrast")


def test_files_can_be_read_back_whatever_the_names(network):
    model, X, y = network
    X = X.rename(columns={"gene 0": 'a, "b"\nc', "gene 1": "a\tx"})
    lists = pattern_lists(clone(model).fit(X, y), X, y)
    for records in (lists.columns, lists.ranking, lists.rows):
        frame = pd.read_csv(
            io.StringIO(csv_text(records)),
            dtype={"patterns": str},
            float_precision="round_trip",
        )
        pd.testing.assert_frame_equal(frame, pd.DataFrame(records), check_exact=True)
    sets = {}
    for line in lists.gmt.splitlines():
        name, description, *columns = line.split("\t")
        assert description.split(" in ")[0] == name.split()[-1]
        sets[name] = columns
    expected = {}
    for line in lists.columns:
        name = f"pattern {line['pattern']} {line['direction']}"
        expected.setdefault(name, []).append(" ".join(line["column"].split()))
    assert sets == expected
    assert csv_text([{"column": "a", "effect": float("nan"), "class": None, "rank": 1}]) == (
        "column,effect,class,rank\na,,,1\n"
    )


@pytest.mark.parametrize("function", [pattern_lists, pattern_records])
def test_another_table_is_refused_by_its_difference(function, groups):
    model, X, y = groups
    raised = X.copy()
    raised.iloc[[7, 9]] += 100
    for table, classes, message in (
        (X, y[::-1], "y is not .*: 28 of 60 rows differ, the first is row 0; give the y"),
        (raised, y, "X is not what .*: 2 of 60 rows differ, the first is row 7; give the X of"),
        (X, y[:3], "y has 3 values for 60 rows"),
        (X, np.ones((60, 2)), r"y has the shape \(60, 2\); give one class for each row"),
    ):
        with pytest.raises(ValueError, match=message):
            function(model, table, classes)
    with pytest.raises(TypeError, match="model is a dict, which has no patterns; pattern_"):
        function({}, X)


def test_the_same_table_as_other_software_keeps_it_is_taken_and_a_sparse_one_refused(groups):
    model, X, y = groups
    same = pattern_lists(model, X.astype(np.float32), [*y])
    assert same.gene_sets == pattern_lists(model, X, y).gene_sets
    with pytest.raises(TypeError, match=r"X is sparse.*toarray"):
        pattern_lists(model, csr_array(X.fillna(0.0)), y)


@pytest.fixture(scope="module")
def tested():
    """A planted group of a miner without labels, and the evidence of its columns."""
    X, y, (group,) = make_subgroups(
        shift=3.0, n_cases=30, n_controls=30, n_columns=90, share=0.5, random_state=0
    )
    frame = pd.DataFrame(X).rename(columns="gene {}".format)
    model = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(frame)
    evidence = column_evidence(model, frame, y, n_folds=3, random_state=0)
    return model, frame, y, group, evidence


def test_lists_have_the_evidence_of_columns(tested):
    model, X, y, group, evidence = tested
    lists, first = pattern_lists(model, X, y, evidence=evidence), evidence[0]
    lines = [line for line in lists.columns if line["pattern"] == 1]
    for line in lines:
        column = X.columns.get_loc(line["column"])
        for key, values in (("effect", first.effect), ("p_corrected", first.p_corrected)):
            assert line[key] == values[column]
        assert line["difference"] == first.difference[column]
        assert line["proven"] == (first.p_corrected[column] <= 0.05)
        assert line["in_pattern"] == (column in model.patterns_[0].columns)
        assert line["direction"] == ("higher" if first.effect[column] > 0 else "lower")
    assert [line["rank"] for line in lines] == [*range(1, len(lines) + 1)]
    own = [line["p"] for line in lines if line["in_pattern"]]
    assert own == sorted(own)
    assert all(line["proven"] for line in lines if not line["in_pattern"])
    keys = [list(line) for line in lists.columns]
    assert all(line == keys[0] for line in keys), "one table"
    # The ranking.
    assert {line["column"] for line in lists.ranking[:10]} == {*X.columns[group.columns]}
    p = [np.inf if line["p"] is None else line["p_corrected"] for line in lists.ranking]
    assert p == sorted(p)
    assert [line["proven"] for line in lists.ranking] == [value <= 0.05 for value in p]
    not_tested = [one for one in evidence if one.reason]
    assert not_tested, "groups of chance are not found again"
    columns = {X.columns[j] for one in not_tested for j in one.pattern.columns}
    elsewhere = {line["column"] for line in lists.columns if line["p"] is not None}
    last = {line["column"] for line in lists.ranking if line["p"] is None}
    assert last == columns - elsewhere
    # Files for enrichment tools.
    files = lists.files
    assert files["background.txt"].splitlines() == X.columns.tolist()
    ranked = [line.split("\t") for line in files["pattern-1.rnk"].splitlines()]
    effects = dict(zip(X.columns, evidence[0].effect, strict=True))
    assert [float(effect) for _, effect in ranked] == sorted(effects.values(), reverse=True)
    assert all(float(effect) == effects[name] for name, effect in ranked)
    sets = [line.split("\t") for line in files["patterns.gmt"].splitlines()]
    proven = {*X.columns[evidence[0].is_proven]}
    own = {*X.columns[evidence[0].pattern.columns]}
    assert {name for one in sets for name in one[2:]} == proven & own
    assert [*pattern_lists(model, X, y).files] == [
        *("genes.csv", "ranking.csv", "rows.csv", "patterns.gmt", "background.txt")
    ]


def test_records_are_in_the_order_of_the_evidence(tested):
    model, X, y, _, evidence = tested
    record, other, *_ = pattern_records(model, X, y, evidence=evidence)
    columns = [X.columns.get_loc(name) for name in record["columns"]]
    assert sorted(columns) == model.patterns_[0].columns.tolist()
    p = evidence[0].p_values[columns]
    assert p.tolist() == sorted(p)
    assert record["column_effects"] == evidence[0].effect[columns].tolist()
    assert record["column_p_corrected"] == evidence[0].p_corrected[columns].tolist()
    ways = ["higher" if effect > 0 else "lower" for effect in record["column_effects"]]
    assert record["directions"] == ways
    assert other["column_effects"] is None
    plain = pattern_records(model, X, y)[0]
    assert "column_effects" not in plain
    weights = dict(zip(plain["columns"], plain["weights"], strict=True))
    assert [weights[name] for name in record["columns"]] == record["weights"]


def test_evidence_of_another_model_is_refused(tested):
    _, X, _, _, evidence = tested
    other = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X * 3 + X.shift(1).fillna(0))
    for function in (pattern_lists, pattern_records):
        with pytest.raises(ValueError, match="evidence of pattern 1 is not about"):
            function(other, X * 3 + X.shift(1).fillna(0), evidence=evidence)
