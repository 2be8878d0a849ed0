"""Each rule asks about what may mean something else; honest tables raise no alarm."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from table_files import read, stored

from bicneuron.exceptions import TableError
from bicneuron.tables import check, write_table

N = 40
RANDOM = np.random.default_rng(3)
AGE = [int(age) for age in RANDOM.integers(20, 80, N)]
CRP = [round(float(crp), 1) for crp in RANDOM.lognormal(1, 0.7, N)]


def frame_of(**columns):
    n_rows = len(next(iter(columns.values())))
    return pd.DataFrame({"id": [f"p{i}" for i in range(n_rows)], **columns})


def asked(rule, frame, target=None):
    """Texts of one rule, by column."""
    return [(one.column, one.text) for one in check(frame, target) if one.rule == rule]


def put(values, code, rows=(3, 11, 30)):
    return [code if i in rows else value for i, value in enumerate(values)]


# --- codes for missing values


NO_CODES = {
    "age to 99": [20 + (i * 2) for i in range(39)] + [99],
    "ages of the very old": [60 + i % 38 for i in range(38)] + [99, 99],
    "doses": [0, 10, 100, 1000] * 10,
    "saturations": [88 + i % 11 for i in range(36)] + [99] * 4,
    "a few doses": [0, 1, 2, 5, 10, 5000, 5000, 2] * 5,
    "once far away": [100 + i for i in range(39)] + [5000],
    "convictions": np.repeat([0, 1, 2, 3, 4, 5, 38], [38, 113, 100, 60, 40, 30, 1]).tolist(),
    "log ratios": [(i % 41 - 20) / 4 for i in range(58)] + [-9.0, -9.0],
}


@pytest.mark.parametrize("name", NO_CODES)
def test_values_are_not_taken_for_codes(name):
    values = NO_CODES[name]
    beside = [i / 7 for i in range(len(values))]
    assert asked("codes", frame_of(dose=values, x=beside)) == []


def test_codes_of_several_columns(table_of):
    score = put([i % 4 for i in range(N)], 99)
    ((_, text),) = asked("codes", frame_of(score=score, weight=[80 + i for i in range(N)]))
    assert text.endswith("--read missing=score=99"), "99 is a value of the other one"
    columns = {f"g{j}": put([i + j for i in range(N)], -9, rows=(j, j + 9)) for j in range(12)}
    ((_, text),) = asked("codes", frame_of(**columns))
    assert text.startswith("'g0', 'g1'")
    assert "and 4 more hold -9 in 24 cells" in text
    assert text.endswith("--read missing=-9")
    two = frame_of(age=put(put(AGE, 888, rows=(1, 2)), 999), crp=CRP)
    assert {text.rpartition("=")[2] for _, text in asked("codes", two)} == {"888", "999"}


def test_zeros_far_from_the_other_values_are_asked_about():
    pressure = [100 + 2 * i for i in range(N)]
    frame = frame_of(pressure=put(pressure, 0), dose=put([50, 60] * 20, 0), count=range(N))
    ((_, text),) = asked("apart", frame)
    about = "'pressure' holds 0 in 3 rows, far from the other values (100 to 178), see row 4 (p3) "
    assert text.startswith(about)
    assert "--read missing=pressure=0" in text
    assert asked("apart", frame_of(chol=[0 if i % 3 == 0 else 154 + 2 * i for i in range(N)]))
    assert not asked("apart", frame_of(crp=[0 if i % 3 == 0 else 60 + 2 * i for i in range(N)]))
    genes = {f"gene{j}": put(pressure[j:] + pressure[:j], 0) for j in range(9)}
    assert not asked("apart", frame_of(**genes))


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_the_same_codes_in_new_tables(suffix, table_of, tmp_path):
    frame = frame_of(age=put(AGE, 999), crp=put(CRP, -9))
    encoder = stored(table_of(frame.to_csv(index=False), missing=["age=999", "-9"]))
    new = pd.DataFrame({"age": [30, 999, -9], "crp": [-9.0, 999.0, 2.5]}, index=["a", "b", "c"])
    path = write_table(new.rename_axis("id"), tmp_path / f"new{suffix}")
    again = read(path, encoder=encoder)
    np.testing.assert_array_equal(again.features, [[30, np.nan], [np.nan, 999.0], [np.nan, 2.5]])
    more = read(path, encoder=encoder, missing=["2.5"])
    np.testing.assert_array_equal(more.features.iloc[2], [np.nan, np.nan])


# --- units, dates, texts, logarithms

HEIGHTS = np.linspace(150, 195, 20)
DOUBTFUL = {
    "shares": ("apart", "fat (%)", [*np.linspace(8, 45, 20), 0.21, 0.33], "0.21, 0.33 in 2 rows"),
    "dates": ("dates", "visit", [20210301 + i for i in (3, 1, 9, 5, 7, 0, 2, 8)], "20210301"),
    "two numbers": ("texts", "", [f"{100 + i}/{70 + i}" for i in range(20)], "'v' such as '1"),
    "names of columns": ("ids", "v", [3, 1, 4, 2, *range(5, 30)], "may be an id", "--drop v"),
}
NO_DOUBT = {
    "two doses": ("dose", [0.1, 10] * 10),
    "a wide range": ("crp", [0.3, 0.5, 0.8, 1.1, 2, 5, 9, 20, 90, 150]),
    "percent from 0 on": ("eosinophils %", [0.3, 0.4, 0.9, 1.4, 2.1, 3, 5, 7, 9, 12]),
    "no year": ("ferritin", [*range(30, 80), 1957.5]),
    "numbers of six digits": ("platelets", np.arange(150_000.0, 400_000, 7_919)),
    "few days": ("seen", [14012019, 15012019, 16012019, 17012019] * 3),
    "third year": ("year", [1, 2, 3, 4] * 5),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_may_mean_something_else_is_asked_about(name):
    rule, column, values, *words = DOUBTFUL[name]
    frame = frame_of(**{column or "v": values, "x": RANDOM.normal(size=len(values))})
    ((about, text),) = asked(rule, frame)
    assert about == column
    for word in words:
        assert word in text


@pytest.mark.parametrize("name", NO_DOUBT)
def test_other_columns_are_not_asked_about(name):
    column, values = NO_DOUBT[name]
    frame = frame_of(**{column: values, "x": RANDOM.normal(size=len(values))})
    assert [one for one in check(frame) if one.rule not in ("together", "ids")] == []


def test_logarithms_are_taken_of_numbers_only(table_of):
    raw = pd.DataFrame(RANDOM.lognormal(5, 1.5, (12, 3)).round(1), columns=["g1", "g2", "g3"])
    frame = raw.assign(batch=["a", "b"] * 6, ill=["x", "y", "y"] * 4)
    table = table_of(frame.to_csv(index=False), target="ill", log=True)
    np.testing.assert_array_equal(table.features[raw.columns], np.log2(raw + 1))
    assert table.features["batch = b"].tolist() == [0, 1] * 6
    again = table_of(frame[::-1].to_csv(index=False), encoder=stored(table))
    np.testing.assert_array_equal(again.features, table.features[::-1])
    bad = frame.assign(g3=-0.5 * np.arange(12)).to_csv(index=False)
    for options in ({"log": True}, {"encoder": stored(table)}):
        with pytest.raises(TableError, match=r"'g3', row 2, is '-0.5', which is below 0, of which"):
            table_of(bad, **options)


# --- what gives the class away

N_ROWS = 120


def honest(seed=0, n_classes=2):
    """Patients in random order: two of eight measurements tell something of the class."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(N_ROWS) % n_classes)
    values = rng.normal(size=(N_ROWS, 8))
    values[:, 0] += classes
    values[:, 1] -= 0.7 * classes
    frame = pd.DataFrame(values.round(3), columns=[f"lab{j}" for j in range(8)])
    return frame.assign(diagnosis=np.array(["AML", "CML", "CLL"])[classes]), classes, rng


def words(*names):
    return lambda c, rng: np.array(names)[c]


GIVEAWAYS = {
    "copy": ("result", 2, lambda c, rng: c),
    "recoding of three classes": ("icd", 3, lambda c, rng: (c * 7) % 5),
    "finer classes": ("subtype", 2, lambda c, rng: 3 * c + rng.integers(3, size=len(c))),
    "nearly perfect": ("blast", 2, lambda c, rng: (8 * c + rng.normal(size=len(c))).round(2)),
    "death": ("Tod", 2, lambda c, rng: np.where(rng.random(len(c)) < 0.2 + 0.4 * c, "ja", "nein")),
    "time to event": ("PFS", 2, lambda c, rng: rng.exponential(20 - 10 * c).round(1)),
    "follow-up": ("follow-up (months)", 2, lambda c, rng: rng.integers(1, 99, len(c))),
}


@pytest.mark.parametrize("name", GIVEAWAYS)
def test_giveaways_are_named(name):
    column, n_classes, made = GIVEAWAYS[name]
    frame, classes, rng = honest(n_classes=n_classes)
    frame.insert(3, column, made(classes, rng))
    (text,) = [one.text for one in check(frame, "diagnosis") if "only after the class" in one.text]
    assert text.startswith(f"column {column!r} ")
    assert "--drop" in text


@pytest.mark.parametrize(
    ("name", "is_asked"),
    [
        *[
            (name, True)
            for name in ("OS_months", "vital_status", "Überlebenszeit", "time to death")
        ],
        *[(name, False) for name in ("Osmolality", "progressive", "cell death", "relapse risk")],
        *[(name, False) for name in ("family history of death", "response time", "OS left")],
    ],
)
def test_names_of_outcomes(name, is_asked):
    frame, _, rng = honest()
    values = rng.integers(1, 4 if "left" in name else 99, N_ROWS)
    assert bool(asked("giveaways", frame.assign(**{name: values}), "diagnosis")) == is_asked


# --- honest tables


def from_sklearn(load):
    data = load(as_frame=True)
    return data.data.assign(diagnosis=data.target)


def genes(seed):
    rng = np.random.default_rng(seed)
    classes = np.arange(60) % 2
    values = rng.normal(size=(60, 1000))
    values[:, :30] += rng.uniform(1, 5, size=30) * classes[:, None]
    frame = pd.DataFrame(values.round(3), columns=[f"G{j}" for j in range(1000)])
    return frame.assign(diagnosis=classes)


def drawn(n_rows):
    """Columns of many kinds of numbers."""
    rng = np.random.default_rng(n_rows)
    values = {
        "normal": rng.normal(10, 2, size=(20, n_rows)),
        "log-normal": rng.lognormal(1, 0.7, size=(20, n_rows)),
        "exponential": rng.exponential(5, size=(20, n_rows)),
        "poisson": rng.poisson(3, size=(20, n_rows)) + 1.0,
        "share": (rng.random((20, n_rows)) < 0.2) * 1.0,
    }
    columns = {f"{kind} {j}": x for kind, X in values.items() for j, x in enumerate(X)}
    return pd.DataFrame(columns).assign(diagnosis=np.arange(n_rows) % 2)


LOADED = (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer)
HONEST = {
    **{f"honest {seed}": lambda seed=seed: honest(seed)[0] for seed in range(3)},
    **{f"three classes {seed}": lambda seed=seed: honest(seed, 3)[0] for seed in range(2)},
    "genes": lambda: genes(0),
    **{f"drawn {n}": lambda n=n: drawn(n) for n in (12, 40, 200)},
    **{load.__name__: lambda load=load: from_sklearn(load) for load in LOADED},
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_tables_raise_no_alarm(name):
    questions = check(HONEST[name](), "diagnosis")
    assert [one for one in questions if one.rule not in ("together", "log")] == []


# --- rows below the data that sum it up

PATIENTS = [f"P{i},{AGE[i]},{CRP[i]},{'ab'[i % 2]}" for i in range(20)]


def rows_of(*below, rows=PATIENTS):
    return "\n".join(["patient,age,crp,class", *rows, *below])


@pytest.mark.parametrize(
    "called", [("Mean",), ("Mittelwert", "SD"), ("N", "Mean ± SD", "Min", "Max"), ("Gesamt", "n")]
)
def test_rows_with_the_name_of_a_summary_are_refused(called, table_of):
    text = rows_of(*(f"{word},50,2.5,a" for word in called))
    with pytest.raises(
        TableError, match=r"row 2\d \(.*\) is a sum, a mean or the like of the rows"
    ):
        table_of(text, target="class")


@pytest.mark.parametrize(
    "rows",
    [
        [*PATIENTS[:-1], "n,50,2.5,a"],
        ["Mean,50,2.5,a", *PATIENTS],
        [*PATIENTS, "SUM149,50,2.5,a"],
        [f"total {row}" for row in PATIENTS],
    ],
    ids=["a patient called so", "above the others", "a gene", "all rows"],
)
def test_other_rows_stay(rows, table_of):
    assert len(table_of(rows_of(rows=rows), target="class").features) == len(rows)
