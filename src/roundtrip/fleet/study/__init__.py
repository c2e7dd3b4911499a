"""Studies, each of many runs: choose a fleet (size), map what fleets can do (sweep), tell two apart (compare)."""
