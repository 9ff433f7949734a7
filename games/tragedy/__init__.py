"""Tragedy: deduction and elimination for two to six."""
