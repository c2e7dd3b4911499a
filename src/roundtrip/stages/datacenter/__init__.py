"""From the border router to the accelerator, and the power behind it."""
