"""Tests of the stages of the computer."""
