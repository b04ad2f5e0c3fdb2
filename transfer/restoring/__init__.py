"""Reads an export back into an account, empty or used, without doubling anything."""
