"""Every number of a replication, recomputed from both tables and the definitions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.groups import NaiveGroup, NaiveScaling, naive_in_order
from oracles.one_axis import naive_cox

from bicneuron import SubgroupBiclustering
from bicneuron._shared._estimators import draw_seed
from bicneuron.outcomes import Survival
from bicneuron.replication import replicate
from bicneuron.significance import separate_test
from bicneuron.significance._find_groups import judged_groups

N_DRAWS = 199


def cohort(seed, second):
    """A group of cases and one of controls, in eight columns each of 40: too few for ranks.

    ``second`` is the shift of the second group.
    """
    X = np.random.default_rng(seed).normal(size=(60, 40))
    X[:10, :8] += 3.0
    X[30:42, 10:18] -= second
    return pd.DataFrame(X, columns=[f"g{k:02}" for k in range(40)])


THERE, HERE = cohort(0, 3.0), cohort(1, 0.8).drop(columns="g01")
Y = np.repeat(["case", "control"], 30)
TIME = np.round(np.random.default_rng(2).exponential(5, 60), 2)
EVENT = np.arange(60) % 3 // 2


@pytest.fixture(scope="module")
def replicated():
    """The groups, found without classes and with them, and what became of them."""
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3, n_jobs=1).fit(THERE)
    model = judged_groups(miner, THERE, Y, random_state=0)
    options = {"n_draws": N_DRAWS, "random_state": 0}
    results = [replicate(model, HERE, y2, **options) for y2 in (Y, Survival(TIME, EVENT))]
    return model.miner, *results


@pytest.fixture(scope="module")
def signatures(replicated):
    """Of each group the places of its columns in the second cohort, with their weights."""
    found = []
    for pattern in replicated[0].patterns_:
        names = THERE.columns[pattern.columns]
        present = [k for k, name in enumerate(names) if name in HERE]
        places = [HERE.columns.get_loc(names[k]) for k in present]
        found.append((places, pattern.weights[present]))  # tested by the page of groups
    return found


def scaled_here(**options):
    centred = (HERE - HERE.mean()) / HERE.std(ddof=0)
    return NaiveScaling(centred, None).apply(centred, None, **options)


def share(observed, draws):
    return (1 + np.sum(draws >= observed - 1e-9 * abs(observed))) / (1 + len(draws))


def gap(values, inside):
    within = sum(np.sum((values[own] - values[own].mean()) ** 2) for own in (inside, ~inside))
    return (values[inside].mean() - values[~inside].mean()) / np.sqrt(within / len(values))


def test_members_scores_and_gaps(replicated, signatures):
    miner, result, _ = replicated
    Z_there, Z = NaiveScaling(THERE, None).apply(THERE, None), scaled_here()
    far = scaled_here(clip=np.inf)
    carriers = miner.carriers(THERE)
    for k, (pattern, (places, weights)) in enumerate(zip(miner.patterns_, signatures, strict=True)):
        found, values = result.patterns[k].found, Z[:, places] @ weights
        if pattern.anchor_class is None:
            group = NaiveGroup(Z_there, pattern.rows, pattern.columns, len(pattern.axis.removed))
            assert_array_equal(carriers[:, k], group.carriers)
        # Scores are the values, from the cut and in units of the spread.
        slope, level = np.polyfit(values, found.scores, 1)
        assert_allclose(found.scores, slope * values + level, atol=1e-5)
        assert_array_equal(found.members, found.scores > 0)
        assert found.gap_here == pytest.approx(gap(values, found.members), abs=1e-3)
        values_there = Z_there[:, pattern.columns] @ pattern.weights
        assert found.gap_there == pytest.approx(gap(values_there, carriers[:, k]), abs=1e-3)
        part = np.sum(weights**2) / np.sum(pattern.weights**2)
        assert found.weight_present == pytest.approx(part)
        assert {*found.present} == {HERE.columns[place] for place in places}
        assert bool(result.patterns[k].reason) == (len(places) < 5)
        if not result.patterns[k].reason:
            sums = far[:, places] @ weights
            assert_allclose(result.patterns[k].levels, sums - np.median(sums), atol=1e-3)


def naive_p(values, S, one, random, asked):
    """P of each answer; that of a separate group is the test's own, on sums of values."""
    assert one.together.observed == pytest.approx(values.var())
    assert_allclose(one.together.draws, S.var(axis=0))
    separate = separate_test(one.levels, n_draws=N_DRAWS, random_state=draw_seed(0))
    p = {"together": share(values.var(), S.var(axis=0)), "separate": separate.p_value}

    def of_class(own):
        return max(abs(np.corrcoef(own, label == Y)[0, 1]) for label in set(Y))

    def of_outcome(own):
        return abs(naive_cox(own, TIME, EVENT > 0, np.zeros(60)))

    orders = {"class": np.lexsort((Y,)), "outcome": np.lexsort((EVENT, TIME))}
    for name, statistic in (("class", of_class), ("outcome", of_outcome)):
        if name != asked:
            continue
        mixed = np.empty((len(values), N_DRAWS))
        ordered = np.repeat(np.sort(values)[:, None], N_DRAWS, axis=1)
        mixed[orders[name]] = random.permuted(ordered, axis=0)
        observed = statistic(values)
        p[f"{name} alone"] = share(observed, np.array([statistic(own) for own in mixed.T]))
        by_columns = share(observed, np.array([statistic(own) for own in S.T]))
        p[name] = max(p[f"{name} alone"], by_columns)
    return p


@pytest.mark.parametrize("asked", ["class", "outcome"])
def test_p_values_and_their_corrections(replicated, signatures, asked):
    result = replicated[1 + (asked == "outcome")]
    Z, random = scaled_here(), np.random.default_rng(0)
    used = sorted({place for places, _ in signatures for place in places})
    orders = [random.permutation(HERE.shape[1])[: len(used)] for _ in range(N_DRAWS)]
    tested, known = [], []
    for one, (places, weights) in zip(result.patterns, signatures, strict=True):
        if one.reason:
            assert (one.p_found, one.corrected.separate) == (None, None)
        else:
            drawn = [order[np.searchsorted(used, places)] for order in orders]
            S = np.array([Z[:, columns] @ weights for columns in drawn]).T
            known.append(naive_p(Z[:, places] @ weights, S, one, random, asked))
            tested.append(one)
    assert len(tested) > 1, "p is corrected"
    for one, p in zip(tested, known, strict=True):
        assert (one.p_together, one.p_tied) == pytest.approx((p["together"], p[asked]))
        assert one.separate.p_value == p["separate"]
        assert one.p_tied_labels_only == pytest.approx(p[f"{asked} alone"])
    # Those that are proven in the first cohort come before the others in the model, too.
    both = [max(p["together"], p[asked]) for p in known]
    assert [one.p_found for one in tested] == pytest.approx(naive_in_order(both))
    for answer, name in (("together", "together"), ("tied", asked), ("separate", "separate")):
        corrected = [getattr(one.corrected, answer) for one in tested]
        assert corrected == pytest.approx(naive_in_order([p[name] for p in known]))
    assert len(result.found) == sum(one.p_found <= 0.05 for one in tested)
