"""Django's PostgreSQL backend with tenants."""
