"""Writing results: atomic files, checksums, pages, plots as SVG, formats of numbers and names."""
