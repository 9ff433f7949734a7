"""Bots for Fraser Island."""
