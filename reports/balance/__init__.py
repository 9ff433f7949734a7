"""The balance lab: what variants of a game do to its matches, with paired differences."""
