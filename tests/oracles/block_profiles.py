"""Profiles of blocks from their definition."""


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
