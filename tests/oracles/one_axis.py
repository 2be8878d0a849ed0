"""One axis as two groups or one hump, and survival, from the definitions."""

import math


def naive_split_gain(values):
    """The best split into the k highest values and the rest, for all allowed k."""
    n, ordered = len(values), sorted(values, reverse=True)

    def squares(part):
        mean = math.fsum(part) / len(part)
        return math.fsum((value - mean) ** 2 for value in part)

    best = -math.inf
    for k in range(1, n):
        if k < max(2, 0.03 * n) or k > 0.8 * n:
            continue
        share = k / n
        within = (squares(ordered[:k]) + squares(ordered[k:])) / squares(ordered)
        names = share * math.log(share) + (1 - share) * math.log(1 - share)
        best = max(best, n * names - n / 2 * math.log(max(within, 1e-12)))
    return best


def naive_mixture(values, share, low, high, low_spread, high_spread):
    """Log-likelihood of two normal densities, without the constant of each."""
    total = 0.0
    for value in values:
        of_high = share / high_spread * math.exp(-0.5 * ((value - high) / high_spread) ** 2)
        of_low = (1 - share) / low_spread * math.exp(-0.5 * ((value - low) / low_spread) ** 2)
        total += math.log(of_high + of_low)
    return total


def naive_hump(values, place, log_scale, skew, log_tail):
    """Log-likelihood of a sinh-arcsinh normal density, without the constant of the normal."""
    scale, tail = math.exp(log_scale), math.exp(log_tail)

    def normal(value):
        return math.sinh(tail * math.asinh((value - place) / scale) - skew)

    total = 0.0
    for value in values:
        step = 1e-6 * scale
        slope = (normal(value + step) - normal(value - step)) / (2 * step)
        total += math.log(slope) - 0.5 * normal(value) ** 2
    return total


def naive_cox(scores, times, events, strata):
    """Score of Cox's model over its standard deviation, event by event."""
    total = variance = 0.0
    for i, (time, event, stratum) in enumerate(zip(times, events, strata, strict=True)):
        if not event:
            continue
        at_risk = [
            score
            for score, other, of in zip(scores, times, strata, strict=True)
            if of == stratum and other >= time
        ]
        mean = math.fsum(at_risk) / len(at_risk)
        total += scores[i] - mean
        variance += math.fsum((score - mean) ** 2 for score in at_risk) / len(at_risk)
    return total / math.sqrt(max(variance, 1e-12))
