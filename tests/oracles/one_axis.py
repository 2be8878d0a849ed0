"""One axis as two groups or one hump, and survival, from the definitions."""

import math
from statistics import NormalDist


def naive_flat_hump(values, centre, width, edge):
    """Log-likelihood of a uniform density with normal edges, without the constant of the normal."""
    normal = NormalDist(0, edge)
    total = 0.0
    for value in values:
        distance = abs(value - centre)  # the tails of the left side have more digits
        share = normal.cdf(width / 2 - distance) - normal.cdf(-width / 2 - distance)
        total += math.log(share / width * math.sqrt(2 * math.pi))
    return total


def naive_valley(share, high, low, high_spread, low_spread):
    """Depth of the valley between two normal densities: the lower mean's density over the least."""

    def density(value):
        return share * NormalDist(high, high_spread).pdf(value) + (1 - share) * NormalDist(
            low, low_spread
        ).pdf(value)

    between = [low + (high - low) * k / 1000 for k in range(1001)]
    return min(density(low), density(high)) / min(map(density, between))


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
