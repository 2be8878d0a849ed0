"""Local search with the residue of every enlarged or reduced block computed from its definition."""

from oracles.residue import naive_column_residues, naive_msr, naive_row_residues, naive_submatrix


def naive_grow(matrix, rows, columns, max_residue, max_columns=1000):
    """Columns in the order taken, the given ones first."""
    taken = list(columns)
    while len(taken) < max_columns and (
        outside := [c for c in range(len(matrix[0])) if c not in taken]
    ):
        enlarged = [(naive_msr(naive_submatrix(matrix, rows, [*taken, c])), c) for c in outside]
        residue, best = min(enlarged)
        if residue > max_residue:
            break
        taken.append(best)
    return taken


def naive_prune(matrix, rows, columns, max_residue, min_rows, min_columns):
    """Rows and columns that are left; none when the bound cannot be met."""
    rows, columns = list(rows), list(columns)
    while naive_msr(block := naive_submatrix(matrix, rows, columns)) > max_residue:
        scores = []
        if len(rows) > min_rows:
            scores += [(-d, "a row", i) for i, d in enumerate(naive_row_residues(block))]
        if len(columns) > min_columns:
            scores += [(-d, "column", j) for j, d in enumerate(naive_column_residues(block))]
        if not scores:
            return [], []
        _, line, worst = min(scores)
        del (rows if line == "a row" else columns)[worst]
    return rows, columns


def naive_nearest(matrix, rows, columns, count):
    """Of the columns of a block, those of smallest mean squared residue, in ascending order."""
    residues = naive_column_residues(naive_submatrix(matrix, rows, columns))
    return sorted(c for _, c in sorted(zip(residues, columns, strict=True))[:count])


def naive_search(
    matrix, rows, seed, max_residue, minimum, add_rows, max_columns=1000, max_sweeps=20
):
    """Rows and columns found from a seed column, or from all columns if that is None."""
    rows, columns = list(rows), [seed]
    if seed is None:
        rows, columns = naive_prune(matrix, rows, range(len(matrix[0])), max_residue, *minimum)
        if not rows:
            return [], []
        columns = naive_nearest(matrix, rows, columns, max_columns)
    transposed = list(zip(*matrix, strict=True))
    for _ in range(max_sweeps):
        shape = len(rows), len(columns)
        columns = naive_grow(matrix, rows, columns, max_residue, max_columns)
        if add_rows:
            rows = naive_grow(transposed, columns, rows, max_residue)
        if (len(rows), len(columns)) == shape:
            break
    if len(rows) < minimum[0] or len(columns) < minimum[1]:
        return [], []
    return sorted(rows), sorted(columns)
