"""Names of rows and columns, and suggestions for misspelt names."""

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def row_names(X: Any, n_rows: int) -> list[Any]:
    """The index of a frame, or else numbers."""
    return list(X.index.tolist()) if hasattr(X, "iloc") else list(range(n_rows))


def feature_names(model: Any) -> list[str]:
    """The names that the model was fitted with, or else x0, x1, ... as in scikit-learn."""
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else [*map(str, names)]


def close_to(name: str, names: Any) -> str:
    """Suggest names for a misspelt one, or list the known ones."""
    known = [str(other) for other in names]
    close = get_close_matches(name, known, n=3)
    close = close or [other for other in known if other.lower() == name.lower()]
    if close:
        return f" Did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, known[:8])) + (", ..." if len(known) > 8 else "")
    return f" There are: {shown}." if known else " There are none."


def but_for_case(known: Iterable[str], given: Iterable[str]) -> dict[str, str]:
    """Given names that are known ones in other capital letters, each with the known one."""
    there, here = dict.fromkeys(known), dict.fromkeys(given)
    n_known, n_given = (Counter(map(str.casefold, names)) for names in (there, here))
    by_letters = {name.casefold(): name for name in there if name not in here}
    return {
        name: by_letters[letters]
        for name in here
        if name not in there
        and (letters := name.casefold()) in by_letters
        and n_known[letters] == n_given[letters] == 1
    }
