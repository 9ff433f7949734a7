"""Errors that are somebody's mistake: one line each, and exit code 2."""


class UserError(Exception):
    """What was given, what was allowed, and where; the command line prints it and exits with 2."""


class Falsified(UserError):
    """Something stored isn't what it was when its hash was taken."""


def reason_of(error: OSError) -> str:
    """Why a file system refused, in one line."""
    return (error.strerror or str(error) or type(error).__name__).splitlines()[0][:200]
