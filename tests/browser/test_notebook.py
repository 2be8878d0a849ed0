"""Results as a notebook shows them, in a real browser, light and dark."""

import pytest
from notebook_results import NAMES, results

# Styles of a notebook, light and dark, and the colour of text in them.
INKS = {
    "background:white;color:black": "rgb(0, 0, 0)",
    "color-scheme:dark;background:#111111;color:#e0e0e0": "rgb(224, 224, 224)",
}


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_and_nothing_runs(open_page, tmp_path, name):
    path = tmp_path / "cell.html"
    html = results()[name]._repr_html_()
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{html}')
    with open_page(path, width=800) as page:
        for style, ink in INKS.items():
            page.evaluate("(style) => document.body.setAttribute('style', style)", style)
            box = page.locator(".bicneuron").first.bounding_box()
            assert 0 < box["width"] < 800
            assert page.evaluate("document.documentElement.scrollWidth") <= 800
            colours = page.evaluate(
                "[...document.querySelectorAll('p, th, td')].map(e => getComputedStyle(e).color)"
            )
            assert set(colours) == {ink}
