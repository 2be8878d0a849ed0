"""The page about groups: what it tells, and what it is made of."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from pages import Page

from bicneuron import CoherentBiclustering, SubgroupBiclustering
from bicneuron.report import write_subgroup_report

NASTY = "<img src=x onerror=alert(1)>"


@cache
def fitted(labelled=True):
    """A table with one group and names that look like HTML."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 80))
    X[:10, :50] += 3
    frame = pd.DataFrame(X, columns=[NASTY, *(f"gene {j}" for j in range(1, 80))])
    frame.index = [NASTY, *(f"P{i}" for i in range(1, 60))]
    y = np.repeat([NASTY, "control"], 30) if labelled else None
    return SubgroupBiclustering(n_patterns=3).fit(frame, y), frame, y


def test_the_page_tells_of_each_group(tmp_path):
    miner, X, y = fitted()
    about = {"table": NASTY, "target": "diagnosis"}
    path = write_subgroup_report(tmp_path / "page.html", miner, X, y, about=about)
    page = Page(path.read_text())
    assert page.all("img") == []
    assert f"in {NASTY}" in page.text
    assert "60 rows and 80 columns were searched, with the classes of diagnosis" in page.text
    headings = [f"Pattern {k}" for k in range(1, len(miner.found_) + 1)]
    assert all(any(text.startswith(heading) for text in page.texts) for heading in headings)
    assert f"10 of 30 {NASTY}, 0 of 30 control" in page.text
    n_more = len(miner.found_[0].columns) - 30
    assert f"{n_more} more columns are not shown" in page.text
    assert len(page.all("svg")) == len(page.all("details")) == len(miner.found_)


def test_the_page_is_self_contained_and_always_the_same(tmp_path):
    miner, X, y = fitted()
    first = write_subgroup_report(tmp_path / "1.html", miner, X, y).read_text()
    assert write_subgroup_report(tmp_path / "2.html", miner, X, y).read_text() == first
    assert "http" not in first.replace("http-equiv", "")
    page = Page(first)
    assert page.all("script") == page.all("link") == []
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in page.all("a")]
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_a_page_without_labels_and_names(tmp_path):
    miner, X, _ = fitted(labelled=False)
    page = Page(write_subgroup_report(tmp_path / "page.html", miner, X).read_text())
    assert "of 60 all rows" in page.text
    assert "classes of" not in page.text
    assert "of class" not in page.text


def test_what_cannot_be_written(tmp_path):
    miner, X, y = fitted()
    path = tmp_path / "page.html"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="give another path or overwrite=True"):
        write_subgroup_report(path, miner, X, y)
    assert path.read_text() == "mine"
    write_subgroup_report(path, miner, X, y, overwrite=True)
    with pytest.raises(TypeError, match="miner is a CoherentBiclustering"):
        write_subgroup_report(tmp_path / "new.html", CoherentBiclustering(), X)
    with pytest.raises(ValueError, match="not fitted yet"):
        write_subgroup_report(tmp_path / "new.html", SubgroupBiclustering(), X)
