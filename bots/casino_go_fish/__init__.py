"""Bots for Casino Go Fish."""
