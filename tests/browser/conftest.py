"""A real browser, and the pages that it opens."""

import shutil
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_three, quick_scores
from fold_records import make_report_records

from bicneuron import Findings, SubgroupBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.outcomes import Survival
from bicneuron.replication import replicate
from bicneuron.report import write_report
from bicneuron.significance import column_evidence, significance_test, with_evidence
from reproduction._render import write_report as write_reproduction

NASTY = "<img src=x onerror=alert(1)>"
ABOUT = {"table": NASTY, "dropped": [NASTY] * 40, "command": f"bicneuron fit '{NASTY}'" * 5}
CHROMIUM = shutil.which("chromium")
# Nothing that a browser does for itself: no updates, no sync, no other connections.
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


@pytest.fixture(scope="module")
def browser():
    """Closed after the module: its driver keeps an event loop, which no other test should meet."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium; install the package of that name")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def open_page(browser):
    """Give a context manager that opens a file and, at its end, says that nothing went wrong."""

    @contextmanager
    def opened(path, *, width=1200, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=False
        )
        page = context.new_page()
        troubles, address = [], path.as_uri()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                request.url.startswith(("data:", address)) or troubles.append(request.url)
            ),
        )
        page.goto(address)
        try:
            yield page
        finally:
            context.close()
        assert troubles == []

    return opened


def nasty_frame(X):
    names = [NASTY, *(f"a rather long name of a column, number {k}" for k in range(1, X.shape[1]))]
    rows = [NASTY, *(f"patient_{'0' * 30}{k}" for k in range(1, len(X)))]
    return pd.DataFrame(X, columns=names, index=rows)


def table_of_groups():
    """A group inside a group, and labels."""
    X = np.random.default_rng(0).normal(size=(80, 120))
    X[:20, :45] += 3.0
    X[:8, 60:80] -= 3.0
    return nasty_frame(X), np.repeat([NASTY, "well"], 40)


def write_second_cohort(path, X, y, about):
    """Groups of half of the rows in the other half, which lacks some columns."""
    miner = SubgroupBiclustering(n_patterns=2).fit(X[::2], y[::2])
    here = X[1::2].drop(columns=X.columns[1:4])
    time = np.random.default_rng(0).exponential(5, len(here))
    survival = Survival(time, np.arange(len(here)) % 3 > 0, name=NASTY)
    groups = Findings.untested(miner, X[::2], y[::2])
    found = replicate(groups, here, survival, n_draws=99, random_state=0)
    about = {**about, "target": NASTY, "time": NASTY, "event": NASTY}
    return write_report(path, found, here, survival, about=about)


def write_one_of_twenty(path):
    """One finding among twenty patterns."""
    table = make_subgroups("shift", shift=2.5, n_columns=100, random_state=0)
    X = pd.DataFrame(table.X).rename(columns="G{:04}".format, index="P{:03}".format)
    miner = SubgroupBiclustering().fit(X)
    miner = with_evidence(miner, significance_test(miner, X, table.y, random_state=0))
    assert len(miner.patterns_) == 20
    about = {"table": "cohort.csv", "target": "diagnosis"}
    columns = column_evidence(miner, X, table.y, patterns=[0], n_folds=2, random_state=0)
    return write_report(path, miner, X, table.y, about=about, columns=columns)


def write_long_names(path):
    """A page whose names of columns, rows, classes and tables have 500 characters."""
    X = np.random.default_rng(0).normal(size=(60, 12))
    X[:14, :4] += 3.0
    names, rows = (
        [f"{name} {k:03} " + "word " * 100 for k in range(n)] for name, n in (("c", 12), ("r", 60))
    )
    X = pd.DataFrame(X, columns=[name[:500] for name in names], index=[row[:500] for row in rows])
    y = np.repeat(["i" + "l" * 499, "well " * 100], 30)
    about = {"table": "t" * 496 + ".csv", "target": "d" * 500}
    miner = SubgroupBiclustering(kinds="shift", n_patterns=2).fit(X)
    columns = column_evidence(miner, X, y, patterns=[0], n_folds=2, random_state=0)
    miner = with_evidence(miner, significance_test(miner, X, y, random_state=0))
    return write_report(path, miner, X, y, about=about, columns=columns)


def write_model(path, about):
    """A page about three classes, with scores of a model that takes little time."""
    X, y = make_three()
    X, y = nasty_frame(X), np.array([NASTY, "well", "unknown"])[y]
    model = classifier(max_ratio=9.0).fit(X, y)
    return write_report(path, model, X, y, about=about, scores=quick_scores(X, y))


def write_pages(folder):
    """One page of each other kind, with names that are long or look like HTML."""
    X, y = table_of_groups()
    miner = SubgroupBiclustering(anchor=NASTY, n_patterns=4).fit(X, y)
    records = make_report_records()
    records += [{**record, "dataset": NASTY} for record in records if record["dataset"] == "wdbc"]
    return {
        "groups": write_report(folder / "groups.html", miner, X, y, about=ABOUT),
        "long-groups": write_long_names(folder / "long.html"),
        "one-of-twenty": write_one_of_twenty(folder / "one.html"),
        "replication": write_second_cohort(folder / "replication.html", X, y, ABOUT),
        "reproduction": write_reproduction(records, folder)[1],
    }


PAGES = ("model", "groups", "replication", "reproduction")  # one of each template


@pytest.fixture(scope="session")
def model_page(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("pages") / "model.html", ABOUT)


@pytest.fixture(scope="session")
def pages(model_page):
    return {"model": model_page, **write_pages(model_page.parent)}


@pytest.fixture(params=PAGES)
def path(request, pages):
    return pages[request.param]
