"""What a person decides about facts; every decision can be taken back."""
