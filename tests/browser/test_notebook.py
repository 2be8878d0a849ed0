"""Results as a notebook shows them, in a real browser, light and dark."""

import pytest
from notebook_results import NAMES, results

DARK = "color-scheme:dark;background:#111111;color:#e0e0e0"
LIGHT = "background:white;color:black"


@pytest.mark.parametrize("style", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_it_fits_and_nothing_runs(open_page, tmp_path, name, style):
    path = tmp_path / "cell.html"
    html = results()[name]._repr_html_()
    path.write_text(f'<!doctype html><meta charset="utf-8"><body style="{style}">{html}')
    with open_page(path, width=800) as page:
        box = page.locator(".bicneuron").first.bounding_box()
        assert 0 < box["width"] < 800
        assert page.evaluate("document.documentElement.scrollWidth") <= 800
        colours = page.evaluate(
            "[...document.querySelectorAll('p, th, td')].map(e => getComputedStyle(e).color)"
        )
        assert set(colours) == {"rgb(224, 224, 224)" if style == DARK else "rgb(0, 0, 0)"}
