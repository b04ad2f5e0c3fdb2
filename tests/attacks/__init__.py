"""Attacks on a whole palace, as the field lists them; docs/security.md says which test is which."""
