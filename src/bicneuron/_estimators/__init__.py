"""Parts that all estimators share: input checks, scaling, seeds, calibration, workers."""
