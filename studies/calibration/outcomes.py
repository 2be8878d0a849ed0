"""Tables whose groups are tested against numbers, survival and the losses of a model."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import check_random_state

from bicneuron import SubgroupBiclustering, find_groups
from bicneuron._core._arrays import BoolArray
from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.metrics import losses_left_out
from bicneuron.outcomes import Numbers, Survival
from bicneuron.patterns import proven_patterns
from bicneuron.significance import significance_test
from studies._drawn_tables import derived_seed
from studies._ranked import row_column_jaccard
from studies.calibration.findings import batch_of, make_table

# Hazards of censoring, those of events being 1: 20 and 70 % of the rows are censored; with those
# of carriers 3, 30 %.
CENSORING = {"20 % censored": 1 / 4, "70 % censored": 7 / 3, "unequal": 1 / 4, "hazard": 0.512}
# How long carriers are followed up where it is unequal, the others being followed up for 1.
FOLLOW_UP = 1 / 3
# A batch is higher in these columns; numbers are higher there, and hazards lower, by so much.
BATCH_COLUMNS, BATCH_EFFECT = 40, 1.5
GROUP = {"group": [20, 12], "shift": 2.0}
ALONE = ["normal", "skewed", "tied", "20 % censored", "70 % censored", "unequal"]
SIMPLE: dict[str, Any] = {"n_rows": 100, "n_columns": 200, **GROUP, "outcomes": ALONE}
OTHERS = ["normal", "skewed", "20 % censored", "70 % censored"]
STRATA: dict[str, Any] = {**SIMPLE, "known": "strata", "outcomes": OTHERS}
PATIENTS: dict[str, Any] = {**SIMPLE, "known": "groups", "outcomes": OTHERS}
EFFECTS = {"effect": 1.0, "ratio": 3.0, "outcomes": ["normal", "median", "hazard"]}
FAILING = {"group": [30, 8], "shift": 2.0, "outcomes": ["loss"], "n_tables": 20}
OUTCOME_TABLES: dict[str, dict[str, Any]] = {
    "null-alone": SIMPLE,
    "null-alone-blocks": {**SIMPLE, "structure": "blocks"},
    "null-strata": STRATA,
    "null-strata-blocks": {**STRATA, "structure": "blocks"},
    "null-patients": PATIENTS,
    "null-patients-blocks": {**PATIENTS, "structure": "blocks"},
    "group": {"n_rows": 100, "n_columns": 1000, **GROUP, **EFFECTS},
    "failing": {"n_rows": 300, "n_columns": 100, **FAILING},
}
# Columns outside of the group whose sum, with noise of this deviation, decides the class.
N_TELLING, LABEL_NOISE = 3, 0.5


def make_outcome_table(settings: Mapping[str, Any], random_state: Any = None) -> PlantedTable:
    """Columns of variance 1 and a group shifted in some; `draw_outcome` draws what is tested.

    Parameters
    ----------
    settings : mapping
        ``n_rows``, ``n_columns``, ``group``, ``shift`` and ``structure`` as in `make_table`.
        ``known``: "strata" for two batches, "groups" for two rows of each patient that are
        correlated by a half, and both in the group or not.
    random_state : int or RandomState, default=None
    """
    random = check_random_state(random_state)
    n_rows, (n_carriers, n_signature) = settings["n_rows"], settings["group"]
    n_each = 2 if settings.get("known") == "groups" else 1
    X, _, (group,) = make_table(
        n_cases=n_rows // n_each,
        n_controls=0,
        n_columns=settings["n_columns"],
        structure=settings.get("structure", "independent"),
        group=(n_carriers // n_each, n_signature),
        shift=settings["shift"] * np.sqrt(n_each),
        random_state=random,
    )
    if n_each > 1:
        X = (np.repeat(X, 2, axis=0) + random.standard_normal((n_rows, X.shape[1]))) / np.sqrt(2)
    if settings.get("known") == "strata":
        X[:, random.permutation(X.shape[1])[:BATCH_COLUMNS]] += batch_of(n_rows)[:, None]
    rows = np.flatnonzero(np.isin(np.arange(n_rows) // n_each, group.rows))
    return PlantedTable(X, None, (PlantedGroup(rows, group.columns),))


def draw_outcome(name: str, inside: BoolArray, settings: Mapping[str, Any], random: Any) -> Any:
    """Numbers, survival or classes of all rows.

    Parameters
    ----------
    name : str
        Distribution of numbers, "median" for normal ones that are cut there, or one of CENSORING.
    inside : bool array of shape (n_rows,)
        Carriers of the planted group.
    settings : mapping
        ``effect`` is added to the numbers of carriers, and ``ratio`` is that of their hazard.
    random : RandomState
    """
    n_rows, known = len(inside), settings.get("known")
    later = BATCH_EFFECT * batch_of(n_rows) if known == "strata" else np.zeros(n_rows)
    patient = np.arange(n_rows) // 2 if known == "groups" else np.arange(n_rows)
    if name in CENSORING:
        hazard = np.where(inside, settings.get("ratio", 1.0), 1.0) * np.exp(-later)
        time, end = random.exponential(size=(2, n_rows))[:, patient]
        time, end = time / hazard, end / CENSORING[name]
        end = np.where(inside, FOLLOW_UP * end, end) if name == "unequal" else end
        return Survival(np.minimum(time, end), time <= end)
    values = random.standard_normal((2, n_rows))
    mixed = (values[0, patient] + values[1]) / np.sqrt(2) if known == "groups" else values[0]
    values = mixed + settings.get("effect", 0.0) * inside + later
    if name == "median":
        return np.where(values > np.median(values), "high", "low")
    shapes = {"normal": values, "skewed": np.exp(1.5 * values), "tied": np.round(values)}
    return Numbers(shapes[name])


def tested_outcomes(
    table: PlantedTable, settings: Mapping[str, Any], n_permutations: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Search a table once, and test the groups against each outcome.

    Returns
    -------
    dict
        For each outcome the smallest corrected p, and the largest Jaccard index of the planted rows
        with those of a pattern whose p is at most 0.05; of losses those of the first finding.
    """
    (group,), n_rows = table.groups, len(table.X)
    inside = np.isin(np.arange(n_rows), group.rows)
    if settings["outcomes"] == ["loss"]:
        noise = LABEL_NOISE * check_random_state(seed).standard_normal(n_rows)
        others = np.setdiff1d(np.arange(table.X.shape[1]), group.columns)
        score = table.X[:, others[:N_TELLING]].sum(axis=1) + noise
        forest = RandomForestClassifier()
        losses = losses_left_out(forest, table.X, (score > 0) ^ inside, random_state=seed)
        found = find_groups(table.X, Numbers(losses, "loss"), random_state=seed)
        first = next(iter(proven_patterns(found.patterns)), None)
        if first is None or first.evidence is None:
            return {"loss": (1.0, 0.0)}
        p = first.evidence.family_p_value or 1.0
        return {"loss": (p, row_column_jaccard([first], group)[0])}
    strata = batch_of(n_rows) if settings.get("known") == "strata" else None
    groups = np.arange(n_rows) // 2 if settings.get("known") == "groups" else None
    miner = SubgroupBiclustering().fit(table.X, None, strata=strata)
    tested = {}
    for name in settings["outcomes"]:
        drawn = "normal" if name == "median" else name  # the same numbers are cut
        random = check_random_state(derived_seed(seed, drawn))
        y = draw_outcome(name, inside, settings, random)
        result = significance_test(
            miner,
            table.X,
            y,
            strata=strata,
            groups=groups,
            n_permutations=n_permutations,
            random_state=seed,
        )
        clear = zip(result.patterns, result.significant(), strict=True)
        indices = [row_column_jaccard([one], group)[0] for one, is_clear in clear if is_clear]
        tested[name] = (float(result.family_p_values.min(initial=1.0)), max(indices, default=0.0))
    return tested
