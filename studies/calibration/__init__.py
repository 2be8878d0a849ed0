"""Is the significance test calibrated, and what power has it?

A section has its tables in ``_tables.py`` and what is shown of it in a file of its own.
"""
