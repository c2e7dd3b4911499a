"""The run that made the weights, in closed form."""
