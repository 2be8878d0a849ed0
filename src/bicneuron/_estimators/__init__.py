"""Parts that estimators share: checks, scaling, missing cells, seeds, calibration, workers."""
