"""Attacks on a whole palace; docs/security.md says which tests cover which attack."""
