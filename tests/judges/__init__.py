"""Other programs of the field, run beside Roundtrip on the same inputs; each in an environment of its own."""
