"""Bots for De Boers."""
