"""Mean squared residues and profiles of blocks from their definition."""


def naive_residues(block):
    n, m = len(block), len(block[0])
    row_means = [sum(row) / m for row in block]
    column_means = [sum(row[j] for row in block) / n for j in range(m)]
    mean = sum(row_means) / n
    return [
        [block[i][j] - row_means[i] - column_means[j] + mean for j in range(m)] for i in range(n)
    ]


def naive_msr(block):
    squares = [value**2 for row in naive_residues(block) for value in row]
    return sum(squares) / len(squares)


def naive_row_residues(block):
    return [sum(value**2 for value in row) / len(row) for row in naive_residues(block)]


def naive_column_residues(block):
    return naive_row_residues(list(zip(*block, strict=True)))


def naive_submatrix(matrix, rows, columns):
    return [[matrix[i][j] for j in columns] for i in rows]


def naive_profile(block):
    """Mean of each column."""
    return [sum(column) / len(column) for column in zip(*block, strict=True)]


def naive_residue_to(row, profile):
    """Mean square of the deviations from a profile, after taking off the row's mean deviation."""
    deviations = [value - mean for value, mean in zip(row, profile, strict=True)]
    level = sum(deviations) / len(deviations) if len(deviations) > 1 else 0.0
    return sum((deviation - level) ** 2 for deviation in deviations) / len(deviations)


def naive_farthest(block):
    """Largest residue of a row of a block to the profile of the block."""
    profile = naive_profile(block)
    return max(naive_residue_to(row, profile) for row in block)
