"""The one currency of the program: Span and Trace, their algebra, and what they can be written as."""
