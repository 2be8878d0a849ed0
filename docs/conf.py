"""The site: guides in Markdown, reference from docstrings, gallery from examples; all offline."""

import re
from pathlib import Path

import bicneuron

project = "bicneuron"
author = "The bicneuron developers"
copyright = author
release = version = bicneuron.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "autolink"
nitpicky = True
# Other projects are not linked: their inventories would have to be downloaded.
nitpick_ignore_regex = [("py:.*", r"(sklearn|numpy|scipy|pandas|matplotlib|anndata)\..*")]
nitpick_ignore = [("py:obj", "biclusters_")]

myst_heading_anchors = 3
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# The folder of a clone may have a space in its name; the examples have none.
suppress_warnings = ["sphinx_gallery.space_in_filename"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"^(demo|how_many_patients|compare_models|compare_miners)\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "bicneuron"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 7,
    "logo": {"text": "bicneuron"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"start": [], "comparison": [], "glossary": [], "changelog": []}


def draw_pictures(app, docname, source):
    """Run the code of the guide to the plots and put below each block what it draws."""
    if docname != "guide/plots":
        return
    import matplotlib.pyplot as plt

    folder = Path(app.srcdir) / "gallery" / "images"
    names = {}

    def with_pictures(block):
        exec(block[1], names)
        lines = [block[0]]
        titles = re.findall(r"(\w+Display)\.from_", block[1])
        for title, number in zip(titles, plt.get_fignums(), strict=False):  # some share a figure
            file = f"guide_{title}_{number}.png"
            plt.figure(number).savefig(folder / file, dpi=100, bbox_inches="tight")
            lines.append(f"![{title}](/gallery/images/{file})")
        plt.close("all")
        return "\n\n".join(lines)

    source[0] = re.sub(r"^```python\n(.*?)^```$", with_pictures, source[0], flags=re.S | re.M)


def setup(app):
    """Let the guide be drawn."""
    app.connect("source-read", draw_pictures)
