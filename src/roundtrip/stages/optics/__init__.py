"""Light in glass: lasers, fibers, amplifiers, switches, receivers."""
