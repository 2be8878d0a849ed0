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


# --- Cheng and Church's steps, each residue computed from its definition


def naive_delete_many(matrix, max_residue, threshold, minimum, few_lines):
    rows, columns = list(range(len(matrix))), list(range(len(matrix[0])))
    while True:
        before = len(rows), len(columns)
        for lines, scores_of, least in (
            (rows, naive_row_residues, minimum[0]),
            (columns, naive_column_residues, minimum[1]),
        ):
            block = naive_submatrix(matrix, rows, columns)
            residue = naive_msr(block)
            if residue <= max_residue:
                return rows, columns
            if len(lines) > few_lines:
                scores = scores_of(block)
                kept = [i for i, d in zip(lines, scores, strict=True) if d <= threshold * residue]
                if len(kept) >= least:
                    lines[:] = kept
        if before == (len(rows), len(columns)):
            return rows, columns


def naive_fit(line, effects, offset):
    """Mean squared deviation of a line from its mean plus effects of mean ``offset``."""
    mean = sum(line) / len(line)
    squares = [(a - mean - b + offset) ** 2 for a, b in zip(line, effects, strict=True)]
    return sum(squares) / len(squares)


def means_of(block):
    return [sum(line) / len(line) for line in block]


def naive_add_lines(matrix, rows, columns, mirror):
    """Rows with their signs, and columns."""
    signs, columns = dict.fromkeys(rows, 1), list(columns)

    def signed(over):
        return [[signs[i] * matrix[i][j] for j in over] for i in sorted(signs)]

    while True:
        before = len(signs) + len(columns)
        block = signed(columns)
        effects, residue = means_of(block), naive_msr(block)
        offset = sum(effects) / len(effects)
        columns += [
            j
            for j in range(len(matrix[0]))
            if j not in columns
            and naive_fit([row[0] for row in signed([j])], effects, offset) <= residue
        ]
        columns.sort()
        for sign in (1, -1) if mirror else (1,):
            block = signed(columns)
            effects, residue = means_of(list(zip(*block, strict=True))), naive_msr(block)
            offset = sum(effects) / len(effects)
            added = [
                i
                for i in range(len(matrix))
                if i not in signs
                and naive_fit([sign * matrix[i][j] for j in columns], effects, offset) <= residue
            ]
            signs.update(dict.fromkeys(added, sign))
        if before == len(signs) + len(columns):
            return dict(sorted(signs.items())), columns


def naive_find_block(matrix, max_residue, threshold, minimum, mirror, few_lines):
    rows, columns = naive_delete_many(matrix, max_residue, threshold, minimum, few_lines)
    rows, columns = naive_prune(matrix, rows, columns, max_residue, *minimum)
    return naive_add_lines(matrix, rows, columns, mirror) if rows else ({}, [])
