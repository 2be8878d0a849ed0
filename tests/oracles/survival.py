"""Survival by counting, time after time."""


def survival_at(moment, time, event):
    """Share without an event up to a moment, included."""
    share = 1.0
    for now in sorted(set(time)):
        if now <= moment:
            at_risk = [k for k in range(len(time)) if time[k] >= now]
            died = [k for k in at_risk if time[k] == now and event[k]]
            share *= (len(at_risk) - len(died)) / len(at_risk)
    return share
