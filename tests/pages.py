"""HTML pages as tests look at them."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "input"}


class Page(HTMLParser):
    """What a page holds; its elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text.strip())

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def assert_self_contained(text):
    """Nothing is loaded or run but its own script, and links lead to one place on the page."""
    page = Page(text)
    tags = {tag for tag, _ in page.elements}
    assert not {"link", "iframe", "img", "object"} & tags
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src", "xlink:href"):
            assert re.match(r"#|data:image/png;base64,", attributes.get(name) or "#")
    assert len(page.all("script")) <= 2, "data, and what the security policy allows"
    assert all(attributes["aria-label"] for attributes in page.all("svg"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {attributes["href"].removeprefix("#") for attributes in page.all("a")} <= set(ids)
    assert not re.search(r"https?://", text)
    return page
