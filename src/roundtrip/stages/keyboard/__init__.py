"""From the finger to the report that the computer polls."""
