"""`python -m harness.cli` is `fairdeal`."""

from harness.cli import main

main()
