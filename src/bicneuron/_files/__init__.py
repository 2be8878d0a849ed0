"""Files: written atomically, the ARFF format, HTML pages from a template."""
