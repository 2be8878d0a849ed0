"""Forward selection, with least squares fitted anew for each candidate."""

import numpy as np


def naive_selection(H, targets, owner, most, redundant=1e-3):
    """Features in the order taken.

    A candidate has to speak for its own target beside those taken, and more than a share of
    ``redundant`` of it has to be left beside them.
    """
    taken = []
    level = np.ones((len(H), 1))
    for _ in range(most):
        before = np.hstack([level, H[:, taken]])
        rest = targets - before @ np.linalg.lstsq(before, targets)[0]
        errors = np.full(H.shape[1], np.inf)
        for k in range(H.shape[1]):
            own = H[:, k] - before @ np.linalg.lstsq(before, H[:, k])[0]
            whole = H[:, k] - H[:, k].mean()
            speaks = own @ rest[:, owner[k]] > 0 and own @ own > redundant * (whole @ whole)
            if k not in taken and speaks:
                design = np.hstack([before, H[:, [k]]])
                errors[k] = np.sum((targets - design @ np.linalg.lstsq(design, targets)[0]) ** 2)
        if np.isinf(errors).all():
            break
        taken.append(int(np.argmin(errors)))
    return taken
