"""Fits to scaled tables whose last bits differ, as they do between processors."""

from contextlib import contextmanager

import numpy as np

from bicneuron._shared._scaling import RobustScaling, Scaling, SoftScaling

SIZE = 1e-15


@contextmanager
def perturbed(monkeypatch, seed):
    """Within it, each scaled value is multiplied by 1 + 1e-15 or 1 - 1e-15, by chance."""

    def noisy(apply):
        def applied(self, *args, **kwargs):
            values = apply(self, *args, **kwargs)
            return values * (1 + SIZE * np.random.default_rng(seed).choice([-1, 1], values.shape))

        return applied

    with monkeypatch.context() as patch:
        for scaling in (Scaling, SoftScaling, RobustScaling):
            patch.setattr(scaling, "apply", noisy(scaling.apply))
        yield
