"""The page about a model in a real browser: colours, rows to look up, and lists to save."""

import re

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor, quick_scores

from bicneuron import BicNeuronNetwork
from bicneuron.neurons import GaussianNeuron
from bicneuron.persistence import save_model
from bicneuron.report import pattern_lists, write_report
from bicneuron.significance import column_evidence
from bicneuron.tables import read_table

# Colours that stand for a class, by class: of swatches and bars, and of marked cells.
CLASS_COLOURS = """() => {
  const found = {};
  for (const element of document.querySelectorAll('[data-class]')) {
    const style = getComputedStyle(element);
    const colour = element.matches('td')
      ? style.boxShadow.match(/rgb\\([^)]*\\)/)[0] : style.backgroundColor;
    (found[element.dataset.class] ??= new Set()).add(colour);
  }
  return Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set]]));
}"""
# Colours of the shapes and words of plots, without those of scales and text.
PLOT_COLOURS = """(selector) => {
  const found = new Set();
  for (const shape of document.querySelectorAll(`${selector} svg :is(path, use, text)`)) {
    const style = getComputedStyle(shape);
    for (const colour of [style.fill, style.stroke]) found.add(colour);
  }
  return [...found];
}"""
SIDES = """() => [...document.querySelectorAll('.plot')].flatMap((plot) =>
  [...plot.querySelectorAll('[style*="var(--anchor"], [style*="var(--contrast"]')].map((shape) => {
    const style = getComputedStyle(shape);
    return /(fill|stroke): var/.exec(shape.getAttribute('style'))[1] === 'fill'
      ? style.fill : style.stroke;
  }))"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table, the file of a model of it, its page, and the lists that Python makes."""
    folder = tmp_path_factory.mktemp("files")
    X, y = make_one_factor()
    frame = pd.DataFrame(X, columns=[f'column "{k}", <b>' for k in range(X.shape[1])])
    frame.index = pd.Index([f"patient {k}" for k in range(len(X))], name="name")
    frame.iloc[3, 2] = np.nan
    frame.assign(status=np.where(y == 1, "ill", "well")).to_csv(folder / "table.csv")
    read = read_table(folder / "table.csv", target="status")
    model = BicNeuronNetwork(n_neurons=4, neuron_kinds=[GaussianNeuron()], random_state=0)
    model.fit(read.features, read.labels)
    save_model(model, folder / "model.skops", about={"target": "status", "id": "name"})
    scores = quick_scores(read.features.fillna(0.0), read.labels)
    write_report(folder / "page.html", model, read.features, read.labels, scores=scores)
    table = read.features, read.labels
    lists = pattern_lists(model, *table, evidence=column_evidence(model, *table, n_folds=2))
    for name, text in lists.files.items():
        (folder / name).write_text(text)
    return folder


def test_one_colour_for_one_class(open_page, model_page):
    with open_page(model_page) as page:
        page.evaluate("() => document.querySelectorAll('details').forEach((d) => d.open = true)")
        page.locator("#all-rows tbody button").first.click()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate(CLASS_COLOURS)
            assert len(found) == 3
            assert all(len(colours) == 1 for colours in found.values()), found
            of_classes = {colours[0] for colours in found.values()}
            assert len(of_classes) == len(found)
            # Both sides of a pattern have the colours of their classes; grey are several classes.
            sides = set(page.evaluate(SIDES))
            assert sides & of_classes
            assert sides <= of_classes | {"rgb(107, 107, 107)"}
            # The strip of classes at the heat map.
            assert of_classes <= set(page.evaluate(PLOT_COLOURS, "#columns ~ figure"))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_row_picked_by_keyboard_shows_why(open_page, files, width, scheme):
    with open_page(files / "page.html", width=width, scheme=scheme) as page:
        chosen = page.locator("#rows ~ details").first
        name = re.search(r"Row (patient \d+):", chosen.locator("summary").inner_text())[1]
        page.locator("#search").focus()
        page.keyboard.type(name)
        buttons = page.locator("#all-rows tbody button")
        assert name in buttons.all_inner_texts()
        for key in [*["Tab"] * 8, *["ArrowDown"] * buttons.all_inner_texts().index(name)]:
            page.keyboard.press(key)
        assert page.evaluate("() => document.activeElement.textContent") == name
        page.keyboard.press("Enter")
        picked = page.locator("#picked")
        assert picked.is_visible()
        assert page.evaluate("() => document.activeElement.id") == "picked"
        assert picked.locator("h4").inner_text() == f"Row {name}"
        # The same that the page shows without scripts.
        shown = [part.split() for part in picked.locator(".why").all_inner_texts()]
        assert shown == [part.split() for part in chosen.locator(".why").all_inner_texts()]
        assert "speaks for" in picked.inner_text()
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_rows_are_searched_and_sorted(open_page, files):
    with open_page(files / "page.html") as page:
        names = page.locator("#all-rows tbody th")
        assert names.count() == 100
        search = page.locator("#search")
        search.fill("patient 7")
        sevens = [f"patient {k}" for k in range(100) if "7" in str(k)]
        assert names.all_inner_texts() == sevens
        assert page.locator("#found").inner_text() == "19 of 100 rows"
        search.fill("ill patient")
        classes = page.locator("#all-rows tbody tr td:nth-child(2)").all_inner_texts()
        given = page.locator("#all-rows tbody tr td:nth-child(3)").all_inner_texts()
        assert classes
        assert all("ill" in pair for pair in zip(classes, given, strict=True))
        search.fill("")
        by_score = page.locator("[data-sort=score]")
        by_score.click()
        scores = page.locator("#all-rows tbody td:last-child")
        up = [float(text.replace("\N{MINUS SIGN}", "-")) for text in scores.all_inner_texts()]
        assert up == sorted(up)
        assert page.locator("[aria-sort]").get_attribute("aria-sort") == "ascending"
        by_score.click()
        down = [float(text.replace("\N{MINUS SIGN}", "-")) for text in scores.all_inner_texts()]
        assert down == sorted(up, reverse=True)
        page.locator("[data-sort=name]").click()
        assert names.all_inner_texts() == [f"patient {k}" for k in range(100)]


def test_lists_saved_from_the_page_are_those_of_python(open_page, files, tmp_path):
    with open_page(files / "page.html") as page:
        for name in ("genes.csv", "ranking.csv", "rows.csv", "patterns.gmt"):
            with page.expect_download() as download:
                page.get_by_role("button", name=f"Save {name}").click()
            assert download.value.suggested_filename == name
            download.value.save_as(tmp_path / name)
            assert (tmp_path / name).read_bytes() == (files / name).read_bytes()
