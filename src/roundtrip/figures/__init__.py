"""A number with its unit, band, grade and source; sampling; the symbolic reading."""
