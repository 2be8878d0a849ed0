import csv
import io
from random import Random

import pytest
from fold_records import make_report_records, make_run
from pages import Page, assert_self_contained

from reproduction._render import (
    render_csv,
    render_html,
    render_markdown,
    write_report,
)
from reproduction._sections import build_report

NOTHING = "\N{EN DASH}"
NASTY = "<b>&amp;\"'|*x*_"


@pytest.fixture(scope="module")
def report():
    return build_report(make_report_records())


@pytest.fixture(scope="module")
def html(report):
    return render_html(report)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


@pytest.fixture(scope="module")
def markdown(report):
    return render_markdown(report)


# --- the same bytes


def test_order_times_and_versions_change_no_byte(tmp_path):
    records = make_report_records()
    again = [
        {**record, "seconds": 777.5, "versions": {"v": "2.0"}}
        for record in Random(1).sample(records, len(records))
    ]
    for name, own in (("a", records), ("b", again)):
        (tmp_path / name).mkdir()
        written = write_report(own, tmp_path / name)
        assert [path.name for path in written] == ["report.md", "report.html", "folds.csv"]
    for path in written:
        assert path.read_bytes() == (tmp_path / "a" / path.name).read_bytes()
    assert len([*(tmp_path / "b").iterdir()]) == len(written)


# --- the page


def test_the_page_needs_nothing_else(html, page):
    assert_self_contained(html)
    assert not {"script", "embed", "base", "form"} & {tag for tag, _ in page.elements}
    (policy,) = [a["content"] for a in page.all("meta") if a.get("http-equiv")]
    assert "default-src 'none'" in policy
    n_tables = len(page.all("table"))
    assert n_tables == len(page.all("caption")) == len(page.all("thead"))


def test_names_are_escaped():
    records = [
        record
        for dataset in (NASTY, "wdbc")
        for model in ("BN_CV", f"SVC{NASTY}")
        for record in make_run(dataset, model, "clean", [0.5, 0.6, 0.7])
    ]
    report = build_report(records)
    page = Page(render_html(report))
    assert "b" not in {tag for tag, _ in page.elements}
    assert NASTY in page.texts
    assert any(f"SVC{NASTY}" in text for text in page.texts)
    text = render_markdown(report)
    assert r"\<b\>\&amp;" in text
    assert "<b>" not in text
    check_markdown_tables(text)
    (first, *_) = csv.DictReader(io.StringIO(render_csv(records)))
    assert first["dataset"] == NASTY


# --- Markdown


def check_markdown_tables(text):
    """Every row of a table has as many cells as its head."""
    n_tables = 0
    for part in text.strip().split("\n\n"):
        lines = part.split("\n")
        if lines[0].startswith("|"):
            counts = {line.replace(r"\|", "").count("|") for line in lines}
            assert len(counts) == 1, lines[0]
            n_tables += 1
    return n_tables


def cells_of(markdown, *heads):
    """Cells of the first row that starts with these."""
    for line in markdown.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[: len(heads)] == list(heads):
            return cells[len(heads) :]
    raise AssertionError(heads)


def test_paper_tables_show_the_paper_above_ours(markdown):
    assert check_markdown_tables(markdown) == 14
    assert "- † sonar: the row index is a feature, in a file sorted by class." in markdown
    folds = ["0.83", "0.71", "0.83", "1.00", "1.00", "0.83", "0.67", "0.67", "0.50", "1.00"]
    average = "<ins>0.80 ± 0.17</ins>"
    assert cells_of(markdown, "colon", "SP (paper)") == [*folds, average, "1.00", "", "", ""]
    ours = [*folds, average, "1.00", "0.00", "10/10", NOTHING]
    assert cells_of(markdown, "colon", "SP (ours)") == ours
    assert cells_of(markdown, "colon", "BN (ours)")[-2:] == ["9/10", "1/10"]
    absent = [*[NOTHING] * 10, "data not available", *[NOTHING] * 4]
    assert cells_of(markdown, "tipspam", "BN (ours)") == absent
