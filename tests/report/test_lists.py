"""Lists of columns and rows for other tools, recomputed from the table with pandas."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from scipy.sparse import csr_array
from sklearn.base import clone

from bicneuron import BicNeuronNetwork, PatternClassifier, SubgroupBiclustering
from bicneuron.biclustering import CoherentBiclustering
from bicneuron.datasets import load_worked_example, make_subgroup, make_subgroups
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import pattern_lists, pattern_records
from bicneuron.report._lists import csv_text
from bicneuron.significance import column_evidence


def with_gaps(X, names="gene"):
    """A frame with names and some missing cells; none in the first column."""
    frame = pd.DataFrame(X, columns=[f"{names} {k}" for k in range(X.shape[1])])
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
def single():
    X, y = make_one_factor()
    X, y = with_gaps(X), np.array(["ill", "well"])[y]
    return classifier().fit(X, y), X, y


def sides_of(model, number, X):
    """Rows of the group and of the contrast of a pattern, which is counted from 1, by name."""
    pair, rows = model.patterns_[number - 1], np.arange(len(X))
    if hasattr(model, "binary_models"):
        _, binary = model.binary_models()[pair.neuron.target]
        pair, rows = binary.selected_pair_, binary.rows_used_
    return X.index[rows[pair.rows]], X.index[rows[pair.contrast_rows]]


@pytest.mark.parametrize("kind", ["network", "single", "ovr", "ovo"])
def test_means_and_effects_are_those_of_the_table(kind, request):
    if kind in ("network", "single"):
        model, X, y = request.getfixturevalue(kind)
    else:
        _, X, y = request.getfixturevalue("network")
        model = classifier(max_ratio=9.0, multi_class=kind).fit(X, y)
    lists = pattern_lists(model, X, y)
    of_classes = X.groupby(y).mean()
    for line in lists.columns:
        group, contrast = sides_of(model, line["pattern"], X)
        name = line["column"]
        assert line["mean_in_group"] == pytest.approx(X.loc[group, name].mean())
        assert line["mean_in_contrast"] == pytest.approx(X.loc[contrast, name].mean())
        effect = X.loc[group, name].mean() - X.loc[contrast, name].mean()
        assert line["difference"] == pytest.approx(effect)
        assert line["direction"] == ("higher" if effect > 0 else "lower")
        for label in of_classes.index:
            assert line[f"mean of {label}"] == pytest.approx(of_classes.loc[label, name])
    for line in lists.ranking:
        for label in of_classes.index:
            expected = of_classes.loc[label, line["column"]]
            assert line[f"mean of {label}"] == pytest.approx(expected)


def test_each_column_of_each_pattern_once_with_its_class(network):
    model, X, y = network
    lists = pattern_lists(model, X, y)
    for number, pattern in enumerate(model.patterns_, start=1):
        lines = [line for line in lists.columns if line["pattern"] == number]
        ranked = X.columns[pattern.ranked_columns].tolist()
        assert [line["column"] for line in lines] == ranked
        assert [line["rank"] for line in lines] == [*range(1, len(lines) + 1)]
        assert {line["group"] for line in lines} == {pattern.anchor_class}
        assert {line["contrast"] for line in lines} == {pattern.contrast_class}


def test_one_class_against_the_rest_is_named(network):
    _, X, y = network
    lists = pattern_lists(classifier(max_ratio=9.0).fit(X, y), X, y)
    sides = {(line["group"], line["contrast"]) for line in lists.columns}
    assert len(sides) == 3
    for group, contrast in sides:
        assert {group, contrast} <= {"ill", "well", "unknown", "the rest"}
        assert "the rest" in (group, contrast)


def test_the_ranking_shares_out_the_patterns(network):
    model, X, y = network
    lists = pattern_lists(model, X, y)
    importance = [line["importance"] for line in lists.ranking]
    assert importance == sorted(importance, reverse=True)
    assert sum(importance) == pytest.approx(1)
    found_in = {name: [] for name in X.columns}
    for number, pattern in enumerate(model.patterns_, start=1):
        for column in pattern.columns:
            found_in[X.columns[column]].append(str(number))
    assert {line["column"]: line["patterns"] for line in lists.ranking} == {
        name: " ".join(numbers) for name, numbers in found_in.items() if numbers
    }
    # By hand: a pattern's contribution, divided by the distances between its centres.
    total = sum(pattern.strength for pattern in model.patterns_)
    by_hand = dict.fromkeys(X.columns, 0.0)
    for pattern in model.patterns_:
        apart = np.abs(pattern.neuron.centroids[0] - pattern.neuron.centroids[1])
        for column, size in zip(pattern.columns, apart, strict=True):
            by_hand[X.columns[column]] += pattern.strength / total * size / apart.sum()
    for line in lists.ranking:
        assert line["importance"] == pytest.approx(by_hand[line["column"]])


def test_each_problem_of_a_classifier_is_as_important(network):
    _, X, y = network
    with pytest.warns(NoContrastivePairWarning):
        some = classifier(max_ratio=0.05).fit(X, y)
    assert {pattern.kind for pattern in some.patterns_} == {"pair", "class"}
    for model in (some, classifier(max_ratio=9.0).fit(X, y)):
        by_hand = dict.fromkeys(X.columns, 0.0)
        for pattern in model.patterns_:
            sizes = np.abs(pattern.weights)
            for column, size in zip(pattern.columns, sizes, strict=True):
                by_hand[X.columns[column]] += size / sizes.sum() / 3
        for line in pattern_lists(model, X, y).ranking:
            assert line["importance"] == pytest.approx(by_hand[line["column"]])


def test_columns_that_differ_between_classes_rank_first():
    random = np.random.RandomState(0)
    y = np.repeat(["no", "yes"], 60)
    X = pd.DataFrame(random.normal(size=(120, 30))).rename(columns=str)
    X.loc[y == "yes", ["3", "17"]] += 4.0
    model = PatternClassifier(random_state=0).fit(X, y)
    lists = pattern_lists(model, X, y)
    assert {line["column"] for line in lists.ranking[:2]} == {"3", "17"}
    for line in lists.columns:
        if line["column"] in ("3", "17"):
            assert line["direction"] == {"yes": "higher", "no": "lower"}[line["group"]]


@pytest.mark.parametrize("kind", ["network", "single"])
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
        assert all(y[X.index.get_loc(line["row"])] == line["class"] for line in lists.rows)
    # The neurons were trained to tell both sides apart.
    assert np.mean(np.array(scores["group"]) > 0) > 0.8
    assert np.mean(scores["contrast"]) < 0


def test_the_score_of_the_only_neuron_is_that_of_the_model(single):
    model, X, y = single
    lists = pattern_lists(model, X, y)
    sign = 1 if model.selected_pair_.anchor_class == model.classes_[1] else -1
    scores = pd.Series(model.decision_function(X), index=X.index)
    for line in lists.rows:
        assert line["score"] == pytest.approx(sign * scores[line["row"]])


def test_a_model_without_a_pair_compares_whole_classes(single):
    _, X, y = single
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    lists = pattern_lists(model, X, y)
    assert len(lists.columns) == len(lists.ranking) == X.shape[1]
    for line in lists.columns:
        assert line["mean_in_group"] == line["mean of well"]
        assert line["mean_in_contrast"] == line["mean of ill"]
    without = pattern_lists(model, X)  # the model knows the sides
    assert [line["mean_in_group"] for line in without.columns] == [
        line["mean_in_group"] for line in lists.columns
    ]


@pytest.mark.parametrize("with_labels", [True, False])
def test_groups_of_a_miner(with_labels):
    X, y, *_ = make_subgroup(60, 50, group_shape=(12, 8), shift=4, random_state=0)
    X = with_gaps(X)
    miner = SubgroupBiclustering(n_patterns=3).fit(X, y if with_labels else None)
    lists = pattern_lists(miner, X, y)
    group = miner.patterns_[0]
    scores = pd.Series(miner.transform(X)[:, 0], index=X.index)
    inside, outside = X[scores > 0], X[scores <= 0]
    first = [line for line in lists.columns if line["pattern"] == 1]
    assert {line["column"] for line in first} == set(X.columns[group.columns])
    for line in first:
        assert line["mean_in_group"] == pytest.approx(inside[line["column"]].mean())
        assert line["mean_in_contrast"] == pytest.approx(outside[line["column"]].mean())
        assert line["direction"] == ("higher" if line["difference"] > 0 else "lower")
        assert line["mean of patient"] == pytest.approx(
            X.loc[y == "patient", line["column"]].mean()
        )
    members = [line for line in lists.rows if (line["pattern"], line["side"]) == (1, "group")]
    assert [line["row"] for line in members] == sorted(inside.index, key=lambda name: -scores[name])
    assert [line["score"] for line in members] == sorted(scores[inside.index], reverse=True)


def test_planted_columns_rank_first_though_most_strengths_are_negative():
    made = make_subgroups("shift", shift=1.5, n_columns=300, random_state=1)
    (planted,) = made.groups
    miner = SubgroupBiclustering().fit(made.X, made.y)
    strongest = miner.patterns_[0]
    assert sum(group.strength for group in miner.patterns_) < 0, "shares of it would be negative"
    ranking = pattern_lists(miner, made.X, made.y).ranking
    importance = [line["importance"] for line in ranking]
    assert importance == sorted(importance, reverse=True)
    assert min(importance) >= 0
    assert sum(importance) == pytest.approx(1)
    found = np.intersect1d(strongest.columns, planted.columns)
    assert len(found) > 5
    first = {line["column"] for line in ranking[: len(strongest.columns)]}
    assert {f"x{column}" for column in found} <= first
    # Columns of groups with a negative strength alone have no importance.
    clear = {column for group in miner.patterns_ if group.strength > 0 for column in group.columns}
    assert {line["column"] for line in ranking if line["importance"]} == {f"x{c}" for c in clear}


def test_a_group_is_described_by_its_carriers():
    X, y, *_ = make_subgroup(60, 50, group_shape=(12, 8), shift=4, random_state=0)
    for labels, words in ((y, " of a pattern of patient"), (None, "")):
        miner = SubgroupBiclustering(n_patterns=1).fit(X, labels)
        n = int(miner.carriers(X).sum())
        _, description, _ = pattern_lists(miner, X).gene_sets[0]
        assert description == f"higher in {n} carriers{words} than in the {60 - n} other rows"


def test_a_bicluster_lists_its_rows():
    X, y = load_worked_example(return_X_y=True)
    X = pd.DataFrame(X).rename(columns="gene {}".format)
    miner = CoherentBiclustering(cut_distance=1.0, max_residue=0.1).fit(X)
    lists = pattern_lists(miner, X, y)
    for number, bicluster in enumerate(miner.patterns_, start=1):
        in_group = [row["row"] for row in lists.rows if row["pattern"] == number][
            : bicluster.shape[0]
        ]
        assert sorted(in_group) == bicluster.rows.tolist()
    inside = X.iloc[miner.patterns_[0].rows]
    for line in lists.columns[: miner.patterns_[0].shape[1]]:
        assert line["mean_in_group"] == pytest.approx(inside[line["column"]].mean())
        assert line["direction"] == ("higher" if line["difference"] > 0 else "lower")
        assert (line["group"], line["contrast"]) == ("all rows", "all other rows")


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


def test_without_classes_there_are_no_means_of_classes(network):
    model, X, _ = network
    lists = pattern_lists(model, X)
    assert not [key for key in lists.columns[0] if key.startswith("mean of")]
    assert {line["class"] for line in lists.rows} == {None}


# --- files


def test_csv_can_be_read_back(network):
    model, X, y = network
    X = X.rename(columns={"gene 0": 'a, "b"\nc'})
    lists = pattern_lists(clone(model).fit(X, y), X, y)
    for records in (lists.columns, lists.ranking, lists.rows):
        frame = pd.read_csv(
            io.StringIO(csv_text(records)),
            dtype={"patterns": str},
            float_precision="round_trip",
        )
        pd.testing.assert_frame_equal(frame, pd.DataFrame(records), check_exact=True)


def test_a_mean_of_nothing_is_an_empty_cell():
    text = csv_text([{"column": "a", "effect": float("nan"), "class": None, "rank": 1}])
    assert text == "column,effect,class,rank\na,,,1\n"


def test_gmt_has_name_description_and_columns(network):
    model, X, y = network
    lists = pattern_lists(model, X, y)
    sets = {}
    for line in lists.gmt.splitlines():
        name, description, *columns = line.split("\t")
        assert columns
        assert description.split(" in ")[0] == name.split()[-1]
        sets[name] = columns
    assert sets == {
        f"pattern {pattern} {direction}": [
            line["column"]
            for line in lists.columns
            if (line["pattern"], line["direction"]) == (pattern, direction)
        ]
        for pattern, direction in {(line["pattern"], line["direction"]) for line in lists.columns}
    }


def test_a_tab_in_a_name_does_not_split_a_gene_set(network):
    model, X, y = network
    X = X.rename(columns={name: f"{name}\tx" for name in X.columns})
    rows = csv.reader(io.StringIO(pattern_lists(clone(model).fit(X, y), X, y).gmt), delimiter="\t")
    assert all(name.endswith(" x") for _, _, *columns in rows for name in columns)


# --- refusals


@pytest.fixture(scope="module")
def groups():
    X, y, *_ = make_subgroup(60, 50, group_shape=(12, 8), shift=4, random_state=0)
    return SubgroupBiclustering(n_patterns=2).fit(with_gaps(X), y), with_gaps(X), y


@pytest.mark.parametrize("kind", ["network", "single", "groups"])
def test_another_table_is_refused_by_its_difference(kind, request):
    model, X, y = request.getfixturevalue(kind)
    n, labels = len(X), np.unique(y)
    swapped = labels[(np.searchsorted(labels, y) + 1) % len(labels)]
    raised = X.copy()
    raised.iloc[[7, 9]] += 100
    renamed = X.copy()
    renamed["gene 3"] = X["gene 4"]
    for table, classes, message in (
        (X, swapped, f"y is not .*: {n} of {n} rows differ, the first is row 0; give the y"),
        (pd.concat([X, X[:5]]), [*y, *y[:5]], f"X has {n + 5} rows, but the model .* to {n};"),
        (raised, y, f"X is not what .*: 2 of {n} rows differ, the first is row 7; give the X of"),
        (X + 100, y, f"X is not what .*: {n} of {n} rows differ, the first is row 0;"),
        (X[::-1], y, "X is not what .*: its rows are in another order;"),
        (renamed, y, rf"X is not what .*: \d+ of {n} rows differ, the first is row"),
    ):
        with pytest.raises(ValueError, match=message):
            pattern_lists(model, table, classes)
    # The same table as other software may keep it.
    same = pattern_lists(model, X.astype(np.float32), [*y])
    assert same.gene_sets == pattern_lists(model, X, y).gene_sets


def test_bad_input(network, single, tmp_path):
    model, X, y = network
    with pytest.raises(ValueError, match="X is not what the model was fitted to: its rows are in"):
        pattern_lists(model, X[::-1].set_axis(X.index), y)
    with pytest.raises(ValueError, match="give the X of fit"):
        pattern_lists(model, X[:10], y[:10])
    with pytest.raises(ValueError, match="y has 3 values for 90 rows"):
        pattern_lists(model, X, y[:3])
    with pytest.raises(TypeError, match=r"X is sparse.*toarray"):
        pattern_lists(model, csr_array(X.fillna(0.0)), y)
    with pytest.raises(TypeError, match="model is a str, which has no patterns; pattern_lists"):
        pattern_lists("model", X, y)
    labels = np.column_stack([y == "ill", X["gene 0"] > 0]).astype(int)
    with pytest.raises(ValueError, match=r"y has the shape \(90, 2\); give one class for each row"):
        pattern_lists(model, X, labels)


# --- columns with their own evidence


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
    model, X, y, _, evidence = tested
    lists = pattern_lists(model, X, y, evidence=evidence)
    first = evidence[0]
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


def test_the_ranking_is_that_of_the_evidence(tested):
    model, X, y, group, evidence = tested
    lists = pattern_lists(model, X, y, evidence=evidence)
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


def test_files_for_enrichment_tools(tested):
    model, X, y, _, evidence = tested
    lists = pattern_lists(model, X, y, evidence=evidence)
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
