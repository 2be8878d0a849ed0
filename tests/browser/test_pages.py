"""The pages in a real browser: about a model, about hidden groups, and of `bicneuron reproduce`."""

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
        closed = page.locator("details:not([open])")
        n_closed = closed.count()
        if n_closed:
            closed.first.locator("summary").first.focus()
            page.keyboard.press("Enter")
            assert closed.count() == n_closed - 1


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
    for name in ("long-groups", "one-of-twenty"):
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


def test_names_of_500_characters_leave_the_answer_on_the_first_screen(open_page, pages):
    with open_page(pages["long-groups"], width=390) as page:
        heading = page.locator("h1").bounding_box()
        assert heading["y"] + heading["height"] < 400
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        page.evaluate(OPEN_ALL)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_page_of_twenty_patterns_with_one_finding_is_short(open_page, pages):
    with open_page(pages["one-of-twenty"], width=1280) as page:
        assert page.evaluate("() => document.documentElement.scrollHeight") < 3000
        # On paper everything is there, and no wider than A4.
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 680, "height": 960})  # 18 cm
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 680
        wide = """() => [...document.querySelectorAll('main *, header *')].filter((element) => {
          const box = element.getBoundingClientRect();
          return box.width > 0 && box.right > 681;
        }).map((element) => element.outerHTML.slice(0, 80))"""
        assert page.evaluate(wide) == []


def test_print_shows_what_is_folded_away(open_page, pages):
    with open_page(pages["groups"]) as page:
        table = page.locator("details:not([open]) table").first
        assert not table.is_visible()
        page.emulate_media(media="print")
        assert table.bounding_box()["height"] > 50
        assert not page.locator("nav").is_visible()
        assert page.pdf().startswith(b"%PDF")
