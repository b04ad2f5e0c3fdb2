"""Restores an export into an account, empty or used, without duplicating anything."""
