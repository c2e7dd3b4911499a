"""The journey, in the order in which a prompt meets it; one module a stage.

Inside a stage function: floats, sample arrays and symbols pass through the same code. So `np.where`,
`np.maximum`, `np.minimum`, `np.clip`, `np.interp` and ufuncs with positional arguments only, the built-in ``sum``; no
``math.*``, ``if``, ``max``, ``round`` or ``float`` on a value; both sides of a `np.where` finite. Counts that shape an
equation are keyword-only ints. A constant that should be seen is a default argument.
"""
