"""From the light in the pupil to the word that is understood."""
