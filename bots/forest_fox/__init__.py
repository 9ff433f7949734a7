"""Bots for Forest Fox."""
