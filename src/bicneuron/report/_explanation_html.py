"""Explanations as HTML, without scripts, for light and dark pages."""

from bicneuron.explanation import Explanation, Explanations, row_html


def explanation_html(explained: Explanation | Explanations) -> str:
    """One explanation, or the first ten of several, as an HTML fragment.

    Parameters
    ----------
    explained : Explanation or Explanations
        What a model's ``explain`` returns, or an item of it.

    Returns
    -------
    str
        Escaped, self-contained HTML, for a page or for ``IPython.display.HTML``.

    Examples
    --------
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.datasets import load_worked_example
    >>> from bicneuron.report import explanation_html
    >>> X, y = load_worked_example(return_X_y=True)
    >>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
    >>> explanation_html(model.explain(X)[0]).startswith("<div")
    True
    """
    if isinstance(explained, Explanation):
        return row_html(explained)
    rows = [row_html(explanation) for explanation in explained.shown]
    if len(explained) > len(rows):
        rows.append(f"<p>And {len(explained) - len(rows)} more rows.</p>")
    return "".join(rows)
