"""Bots for Tragedy."""
