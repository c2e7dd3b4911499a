"""From the text of the prompt to the next token."""
