"""Shared parts: checks, scaling, missing cells, seeds, workers, and how results are written."""
