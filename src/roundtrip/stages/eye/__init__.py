"""From the light on the cornea to the word that is understood."""
