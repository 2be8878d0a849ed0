"""The paper's experiments: Tables 2 to 5 run again, beside the printed numbers."""
