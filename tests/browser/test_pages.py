"""The pages in a real browser: about a model, about hidden groups, and of `bicneuron reproduce`."""

from itertools import product

import pytest

GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}
NASTY = "<img src=x onerror=alert(1)>"

# Texts with less contrast to their ground than WCAG AA asks for, worst first.
FAINT_TEXTS = """() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return {r, g, b, a};
  };
  const over = (top, ground) => ({
    r: top.r * top.a + ground.r * (1 - top.a),
    g: top.g * top.a + ground.g * (1 - top.a),
    b: top.b * top.a + ground.b * (1 - top.a),
    a: 1,
  });
  const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ({r, g, b}) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  // What an element inherits is asked for once: a page has thousands of texts.
  const once = (ask, known = new Map()) => (element) => {
    if (!known.has(element)) known.set(element, ask(element));
    return known.get(element);
  };
  const ground = once((element) => element
    ? over(parse(getComputedStyle(element).backgroundColor), ground(element.parentElement))
    : {r: 128, g: 128, b: 128, a: 1});
  const opacity = once((element) => element
    ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);
  const found = [];
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    if (style.visibility === "hidden") continue;
    seen += 1;
    const below = ground(element);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    ink.a *= opacity(element);
    const pair = [light(over(ink, below)), light(below)].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    const needed = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    if (contrast < needed) found.push(`${contrast.toFixed(2)}: ${walker.currentNode.data}`);
  }
  return {seen, found: found.sort()};
}"""
OPEN_ALL = "() => document.querySelectorAll('details').forEach((details) => details.open = true)"
# Elements as they get the focus.
WATCH_FOCUS = """() => {
  const places = new Map([...document.querySelectorAll('*')].map((element, k) => [element, k]));
  window.visited = [];
  document.addEventListener('focusin', () => {
    const element = document.activeElement;
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    visited.push({
      place: places.get(element),
      tag: element.tagName,
      text: element.textContent.trim().slice(0, 30),
      seen: box.width > 0 && box.right > 0 && style.outlineStyle !== 'none',
    });
  });
}"""


def test_all_text_can_be_read_and_no_page_scrolls_sideways(open_page, path):
    with open_page(path) as page:
        page.evaluate(OPEN_ALL)
        for row in page.locator("#all-rows tbody button").all()[:1]:
            row.click()
        # Names that look like HTML are text.
        assert page.locator("img").count() == 0
        assert NASTY in page.evaluate("() => document.body.innerText")
        for width, scheme in product((1280, 390), GROUNDS):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
            assert ground == GROUNDS[scheme]
            shown = page.evaluate(FAINT_TEXTS)
            assert shown["seen"] > 50
            assert shown["found"] == []
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width
            page.evaluate("() => window.scrollTo(1000, 0)")
            assert page.evaluate("() => window.scrollX") == 0


REACHED = (
    "a[href], summary:visible, input:visible, button:visible:not([tabindex='-1']), "
    "[tabindex='0']:visible:not(button)"
)


def test_the_keyboard_reaches_everything_in_order(open_page, path):
    with open_page(path) as page:
        page.evaluate(WATCH_FOCUS)
        n_reached = page.locator(REACHED).count()
        for _ in range(n_reached):
            page.keyboard.press("Tab")
        visited = page.evaluate("() => visited")
        assert len(visited) == n_reached
        places = [element["place"] for element in visited]
        assert places == sorted(set(places))
        assert all(element["seen"] for element in visited), visited
        assert visited[0]["text"] == "Skip to the content"
        n_details = page.locator("summary:visible").count()
        assert [element["tag"] for element in visited].count("SUMMARY") == n_details
        page.locator(".skip").focus()
        page.keyboard.press("Enter")
        assert page.evaluate("() => document.querySelector(':target').tagName") == "MAIN"


@pytest.mark.parametrize("name", ["single", "groups", "replication"])
def test_the_keyboard_opens_a_row(open_page, pages, name):
    with open_page(pages[name]) as page:
        closed = page.locator("details:not([open])")
        before = closed.count()
        assert before > 0
        closed.first.locator("summary").focus()
        page.keyboard.press("Enter")
        assert closed.count() == before - 1


def test_a_replication_begins_with_its_verdicts(open_page, pages):
    with open_page(pages["replication"]) as page:
        page.set_viewport_size({"width": 390, "height": 800})
        lines = page.locator("header li")
        assert (
            lines.count()
            == page.get_by_role("region", name="All patterns").get_by_role("link").count()
        )
        assert lines.first.bounding_box()["y"] < 400
        assert "found again" in lines.first.inner_text()
        lines.last.get_by_role("link").click()
        assert -1 < page.locator("h2:target").bounding_box()["y"] < 800


def test_links_lead_to_the_groups_and_from_a_group_to_the_one_around_it(open_page, pages):
    with open_page(pages["groups"]) as page:
        in_table = page.get_by_role("region", name="All patterns").get_by_role("link")
        assert in_table.count() == page.locator("figure svg").count() == 4
        heading = page.locator("h2:target")
        for place in (3, 1):
            in_table.nth(place).click()
            assert heading.inner_text().startswith(f"Pattern {place + 1}: ")
            assert -1 < heading.bounding_box()["y"] < 800
        section = page.locator("section", has=heading)
        section.get_by_role("link", name="pattern 1", exact=True).click()
        assert heading.inner_text().startswith("Pattern 1: 20 of 40 ")


def test_patterns_that_are_no_better_than_chance_are_grey(open_page, pages):
    colour = "(element) => getComputedStyle(element).color"
    with open_page(pages["tested"]) as page:
        quiet = page.locator("header .quiet").first.evaluate(colour)
        ink = page.locator("h1").evaluate(colour)
        headings = page.locator("section:has(figure) h2")
        is_grey = [headings.nth(k).evaluate(colour) == quiet for k in range(headings.count())]
        assert is_grey[0] is False
        assert headings.first.evaluate(colour) == ink != quiet
        assert True in is_grey
        plot = page.locator("section.chance svg").first
        assert plot.evaluate("(svg) => getComputedStyle(svg).filter") == "grayscale(1)"
        first = page.locator("body").inner_text().split("\n")
        assert any("at p <= 0.05" in line for line in first[:3])


def test_a_folded_group_lists_its_columns_and_carriers(open_page, pages):
    with open_page(pages["groups"]) as page:
        details = page.locator("details").first
        table = details.get_by_role("region", name="Columns of pattern 1")
        assert not table.is_visible()
        details.locator("summary").click()
        assert table.is_visible()
        assert table.locator("tbody tr").count() == 30
        # The nineteen others are named patient_000... and the first looks like HTML.
        carriers = details.get_by_text("with their membership scores").inner_text()
        assert carriers.count("patient_") == 19
        assert carriers.count(NASTY) == 2, "the class and the first row"


@pytest.mark.parametrize("name", ["single", "groups"])
def test_print_shows_what_is_folded_away(open_page, pages, name):
    with open_page(pages[name]) as page:
        table = page.locator("details:not([open]) table").first
        assert not table.is_visible()
        page.emulate_media(media="print")
        assert table.bounding_box()["height"] > 50
        assert not page.locator("nav").is_visible()
        assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize(("name", "shown"), [("single", "Rows worth a look"), ("groups", "All")])
def test_a_browser_without_scripts_shows_all_but_what_needs_them(browser, pages, name, shown):
    texts = []
    for scripts in (True, False):
        context = browser.new_context(java_script_enabled=scripts)
        page = context.new_page()
        page.goto(pages[name].as_uri())
        if scripts:
            hide = "(blocks) => blocks.forEach((block) => block.hidden = true)"
            page.locator(".needs-script").evaluate_all(hide)
        texts.append(page.locator("main").inner_text())
        context.close()
    assert texts[0] == texts[1]
    assert shown in texts[0]
