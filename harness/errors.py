"""Errors that are somebody's mistake: one line each, and exit code 2."""


class UserError(Exception):
    """What was given, what was allowed, and where; the command line prints it and exits with 2."""


class Falsified(UserError):
    """Something stored isn't what it was when its hash was taken."""
