"""The critical-difference diagram of a comparison, as a piece of SVG for a page."""

import io
import re
from typing import Any

from bicneuron.experiments._statistics import Comparison, compare_models

ALPHA = 0.05
_INK = "#010203"  # stands for the text colour of the page, light or dark


def critical_difference_svg(comparison: Comparison, name: str) -> str:
    """Draw mean ranks, with a bar over models that no test tells apart.

    A bar joins models whose signed-rank p-values exceed 0.05 after Holm's correction.

    Parameters
    ----------
    comparison : Comparison
        At least two models.
    name : str
        Unlike that of any other diagram on the page, to keep their inner references apart.

    Returns
    -------
    str
        An ``<svg>`` element in the text colour and font of its surroundings, without addresses,
        date or version; the same for the same arguments.
    """
    try:
        import matplotlib
        import pandas
        from matplotlib.figure import Figure
        from scikit_posthocs import critical_difference_diagram
    except ImportError as error:
        raise ImportError(
            f"the diagram needs {error.name}; run pip install 'bicneuron[report,stats]'."
        ) from error

    # Numbers for names: scikit-posthocs keeps them in sets, and strings leave a set in another
    # order in every process.
    numbers = range(len(comparison.models))
    p_values = pandas.DataFrame(1.0, index=numbers, columns=numbers)
    for pair in comparison.pairs:
        i, j = comparison.models.index(pair.first), comparison.models.index(pair.second)
        p_values.loc[i, j] = p_values.loc[j, i] = pair.p_holm
    style: Any = {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "axes.edgecolor": _INK,
        "text.color": _INK,
        "xtick.color": _INK,
    }
    with matplotlib.rc_context(style):
        figure = Figure()
        axes = figure.subplots()
        drawn = critical_difference_diagram(
            dict(zip(numbers, comparison.mean_ranks, strict=True)),
            p_values,
            alpha=ALPHA,
            ax=axes,
            label_fmt_left="{label}",
            label_fmt_right="{label}",
            text_h_margin=0.1,
            elbow_props={"color": _INK, "linewidth": 1},
            marker_props={"s": 12},
            crossbar_props={"color": _INK, "linewidth": 3},
        )
        for label in drawn["labels"]:
            number = int(label.get_text())
            text = f"{comparison.models[number]} {comparison.mean_ranks[number]:.2f}"
            label.set_parse_math(False)
            label.set_text(f"\N{NO-BREAK SPACE}{text}\N{NO-BREAK SPACE}")
        axes.set_xticks(range(1, len(numbers) + 1))
        bottom, top = axes.get_ylim()
        figure.set_size_inches(6.5, 0.5 + 0.22 * (top - bottom))
        buffer = io.StringIO()
        no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(
            buffer, format="svg", bbox_inches="tight", transparent=True, metadata=no_metadata
        )
    return _for_a_page(buffer.getvalue())


def check_can_draw() -> None:
    """Raise an `ImportError` before a long run if its diagrams could not be drawn."""
    critical_difference_svg(compare_models({"any": {"first": 1.0, "second": 0.0}}), "check")


def svg_file(svg: str) -> str:
    """Make a file of its own of a piece for a page: black on white."""
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    style = 'style="background: white; font-family: sans-serif"'
    return svg.replace("<svg", f"<svg {names} {style}", 1) + "\n"


def _for_a_page(svg: str) -> str:
    """Take away what only a file of its own needs, and all that speaks to the whole page."""
    svg = svg[svg.index("<svg") :].rstrip()
    svg = re.sub(r' (xmlns(:\w+)?|version)="[^"]*"', "", svg, count=3)
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)
    svg = re.sub(r"font-family: [^;\"]*; ", "", svg)
    return svg.replace(_INK, "currentColor").replace("<svg", '<svg role="img"', 1)
