"""The behaviour that is counted: what a seat did, and what befell it."""

from games.game import Tactic

TACTICS = (
    Tactic("pass", "kept the card drawn, and did nothing", known=True),
    Tactic("attack_match", "attacked with a card of the flaw's suit or rank"),
    Tactic("attack_high", "attacked with a card that ranks above the flaw"),
    Tactic("attack_low", "attacked with a card that ranks below the flaw"),
    Tactic("challenge_right", "named another's flaw"),
    Tactic("challenge_wrong", "named a card that isn't another's flaw"),
    Tactic("defend", "laid two cards against a challenge that was right", known=True),
    Tactic("discard", "discarded a card", known=True),
    Tactic("robbed", "had a card taken by an attack"),
    Tactic("bled_out", "went out by an attack that left it no card, or found none"),
    Tactic("exposed", "was rightly challenged"),
    Tactic("overreached", "went out by a wrong challenge"),
)
(
    PASSED,
    MATCH,
    HIGH,
    LOW,
    RIGHT,
    WRONG,
    DEFENDED,
    DISCARDED,
    ROBBED,
    BLED_OUT,
    EXPOSED,
    OVERREACHED,
) = range(len(TACTICS))

ANSWERED = {"match": MATCH, "high": HIGH, "low": LOW}
"""The tactic of an attack with this answer."""
