"""From the text to the light of the screen."""
