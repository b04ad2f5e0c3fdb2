"""Writes everything of a user into a zip that machines and people can read."""
