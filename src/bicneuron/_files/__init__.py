"""Files: written atomically, and the ARFF format."""
