"""Benchmarks that run through the product's own mining and recall."""
