"""Forest Fox: an open trick game for two."""
