"""How sure is it? Significance and stability of patterns."""

__all__: list[str] = []
