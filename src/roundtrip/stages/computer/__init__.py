"""From the report in the computer to the request body."""
