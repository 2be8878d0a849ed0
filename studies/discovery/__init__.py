"""The study of hidden groups: tables, methods, measures and what is shown of them."""
