"""The pair that a pattern of a network was made of, to be compared with others."""

from bicneuron.patterns import Pattern


def pair_of(pattern):
    """Both sides and the columns, without what the fit of the network adds."""
    return Pattern(
        pattern.rows,
        pattern.columns,
        pattern.msr,
        contrast_rows=pattern.contrast_rows,
        anchor_class=pattern.anchor_class,
        kind=pattern.kind,
        msr_ratio=pattern.msr_ratio,
        criterion=pattern.criterion,
    )
