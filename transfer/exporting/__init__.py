"""Writes everything of a person, or one wing, into a zip that machines and people can read."""
