"""Cheng and Church's steps, each residue computed from its definition."""

from oracles.residue import naive_column_residues, naive_msr, naive_row_residues, naive_submatrix
from oracles.search import naive_prune


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
