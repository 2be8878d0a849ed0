"""The pages in a real browser: about a model, about hidden groups, and of `bicneuron reproduce`."""

import re

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
        for width, scheme in ((1280, "light"), (390, "dark")):
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
    "a[href]:visible, summary:visible, input:visible, button:visible:not([tabindex='-1']), "
    "[tabindex='0']:visible:not(button)"
)


@pytest.mark.parametrize("name", ["single", "three", "groups", "replication", "reproduction"])
def test_the_keyboard_reaches_everything_in_order(open_page, pages, name):
    """One page of each template, and that of three classes."""
    with open_page(pages[name]) as page:
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
        closed = page.locator("details:not([open])")
        n_closed = closed.count()
        if n_closed:
            closed.first.locator("summary").first.focus()
            page.keyboard.press("Enter")
            assert closed.count() == n_closed - 1


def test_a_replication_begins_with_its_verdicts(open_page, pages):
    with open_page(pages["replication"]) as page:
        page.set_viewport_size({"width": 390, "height": 800})
        lines = page.locator("header li")
        links = page.get_by_role("region", name="All patterns").get_by_role("link")
        assert lines.count() == links.count()
        assert lines.first.bounding_box()["y"] < 400
        assert "found again" in lines.first.inner_text()
        lines.last.get_by_role("link").click()
        assert -1 < page.locator("h2:target").bounding_box()["y"] < 800


def test_links_lead_to_the_groups_and_from_a_group_to_the_one_around_it(open_page, pages):
    with open_page(pages["groups"]) as page:
        assert page.locator("figure svg").count() == 4
        seen = page.locator("section", has=page.locator("#seen")).locator("details").first
        seen.locator("summary").first.click()
        in_table = page.get_by_role("region", name="Not tested").get_by_role("link")
        assert in_table.count() == 3
        target = page.locator(":target")
        for place in (2, 0):
            in_table.nth(place).click()
            assert target.inner_text().startswith(f"Pattern {place + 2}: ")
            assert -1 < target.bounding_box()["y"] < 800
        child = seen.locator("details", has=page.locator("p a[href='#pattern-1']")).first
        child.locator("summary").click()
        child.get_by_role("link", name="pattern 1", exact=True).click()
        assert target.inner_text().startswith(f"Pattern 1: class = {NASTY}: 20 of 40; ")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_answer_with_its_columns_is_on_the_first_screen(open_page, pages, width):
    with open_page(pages["one-of-twenty"], width=width) as page:
        answer = page.locator(".answer")
        said = answer.inner_text()
        assert "more often case than chance gives (p = 0.001, corrected for all groups)." in said
        assert "19 more were seen, not clearer than chance or clearer groups give." in said
        table = page.get_by_role("region", name="The clearest columns of pattern 1")
        names = table.locator("tbody th").all_inner_texts()
        assert len(names) == 6
        assert {*names} & {name.strip(" (") for name in said.replace(";", ",").split(",")}
        for block in (answer, table):
            box = block.bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 800


def test_a_phone_shows_difference_and_p_of_columns_without_a_swipe(open_page, pages):
    for name in ("one-of-twenty", "long-groups"):
        with open_page(pages[name], width=390) as page:
            for label in ("The clearest columns of pattern 1", "Columns of pattern 1"):
                table = page.get_by_role("region", name=label, exact=True)
                heads = table.locator("thead th").all_inner_texts()
                words = [" ".join(head.split()) for head in heads[:3]]
                assert words == ["Column", "Difference", "p, corrected"]
                right = table.bounding_box()["x"] + table.bounding_box()["width"]
                for cell in table.locator("tr > :nth-child(3)").all():
                    box = cell.bounding_box()
                    assert box["width"] > 0
                    assert box["x"] + box["width"] <= right
    with open_page(pages["one-of-twenty"], width=390) as page:
        table = page.get_by_role("region", name="The clearest columns of pattern 1")
        assert table.evaluate("(table) => table.scrollWidth <= table.clientWidth"), "as a whole"


@pytest.mark.parametrize("name", ["long-groups", "long-model", "long-replication"])
def test_names_of_500_characters_leave_the_answer_on_the_first_screen(open_page, pages, name):
    with open_page(pages[name], width=390) as page:
        heading = page.locator("h1").bounding_box()
        assert heading["y"] + heading["height"] < 400
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        page.evaluate(OPEN_ALL)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_page_of_twenty_patterns_with_one_finding_is_short(open_page, pages):
    with open_page(pages["one-of-twenty"], width=1280) as page:
        assert page.locator("summary[id^=pattern]").count() == 19
        assert page.evaluate("() => document.documentElement.scrollHeight") < 3000
        assert page.locator("main > section").count() == 3
        headings = page.locator("main > section > h2").all_inner_texts()
        assert headings[0].startswith("Pattern 1: ")
        assert headings[1:] == ["Other groups seen", "How this was found"]
        assert "strength" not in page.locator("body").inner_text().lower()
        # On paper everything is there, and no wider than A4.
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 680, "height": 960})  # 18 cm
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 680
        wide = """() => [...document.querySelectorAll('main *, header *')].filter((element) => {
          const box = element.getBoundingClientRect();
          return box.width > 0 && box.right > 681;
        }).map((element) => element.outerHTML.slice(0, 80))"""
        assert page.evaluate(wide) == []


def test_a_class_has_one_colour_on_page_and_figures(open_page, pages):
    """In swatches, and in the words of figures that tell of its rows."""
    colours_of = """() => [
      ...[...document.querySelectorAll('[data-class]')].map((swatch) =>
        [`${swatch.dataset.class}: 0 rows`, getComputedStyle(swatch).backgroundColor]),
      ...[...document.querySelectorAll('figure svg text')].map((text) =>
        [text.textContent.trim(), getComputedStyle(text).fill]),
    ]"""
    with open_page(pages["one-of-twenty"]) as page:
        page.evaluate(OPEN_ALL)
        told = page.evaluate(colours_of)
    found = {}
    for words, colour in told:
        carriers = re.match(r"carriers: \d+ of \d+ rows of (\w+)", words)
        if name := carriers or re.fullmatch(r"(\w+): \d+ rows?", words):
            found.setdefault(name[1], []).append(colour)
    assert {*found} == {"case", "control"}
    assert all(len({*colours}) == 1 and len(colours) > 10 for colours in found.values()), found
    assert found["case"][0] != found["control"][0]


def test_a_page_without_any_finding_says_what_to_do(open_page, pages):
    for name, words in {
        "unproven": "What to do: look at the patterns below.",
        "nothing": "What to do: add rows or columns",
    }.items():
        with open_page(pages[name], width=390) as page:
            block = page.get_by_text(words)
            assert block.count() == 1
            assert block.bounding_box()["y"] < 800, "on the first screen"


def test_a_folded_group_lists_its_columns_and_carriers(open_page, pages):
    with open_page(pages["groups"]) as page:
        section = page.locator("section", has=page.locator("h2#pattern-1"))
        table = section.get_by_role("region", name="Columns of pattern 1")
        assert table.is_visible()
        assert table.locator("tbody tr").count() == 30
        # The nineteen others are named patient_000... and the first looks like HTML.
        carriers = section.get_by_text("with their membership scores").inner_text()
        assert carriers.count("patient_") == 19
        assert carriers.count(NASTY) == 1
        folded = page.get_by_role("region", name="Columns of pattern 2")
        assert not folded.is_visible()
        page.locator("summary", has_text="3 patterns more").click()
        page.locator("summary#pattern-2").click()
        assert folded.is_visible()


@pytest.mark.parametrize("name", ["single", "groups"])
def test_print_shows_what_is_folded_away(open_page, pages, name):
    with open_page(pages[name]) as page:
        table = page.locator("details:not([open]) table").first
        assert not table.is_visible()
        page.emulate_media(media="print")
        assert table.bounding_box()["height"] > 50
        assert not page.locator("nav").is_visible()
        assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("name", "shown"), [("single", "Rows worth a look"), ("groups", "How this")]
)
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
