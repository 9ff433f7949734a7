"""The tactics that Fraser Island counts."""

from games.cards import Card
from games.fraser_island.moves import CLAIMS, DIAMOND, GEM, PACK, ROCK, TRUTH
from games.game import Tactic

DIAMONDS = ("share_diamond", "smuggle", "admit")
ASKED = ("challenge_hit", "challenge_miss", "free_hit", "free_miss", "pass")

TACTICS = (
    Tactic("share_diamond", "played a diamond to the public pile", DIAMONDS, known=True),
    Tactic("share_gem", "played a gem to the public pile", known=True),
    Tactic("share_rock", "played rock to the public pile", known=True),
    Tactic("smuggle", "kept a diamond under another claim", DIAMONDS, known=True),
    Tactic("admit", "kept a diamond and claimed it as one", known=True),
    Tactic("bait", "kept no diamond and claimed it as one", known=True),
    Tactic("keep_gem", "kept a gem, claimed truly", known=True),
    Tactic("keep_rock", "kept rock, claimed truly", known=True),
    Tactic("misclaim", "kept rock claimed as a gem, or a gem claimed as rock", known=True),
    Tactic("challenge_hit", "challenged for a fee and found a diamond"),
    Tactic("challenge_miss", "challenged for a fee and found none"),
    Tactic("free_hit", "made the free challenge and found a diamond"),
    Tactic("free_miss", "made the free challenge and found none"),
    Tactic("pass", "was asked, and did not challenge", ASKED, known=True),
    Tactic("caught", "was revealed as an offender"),
    Tactic("ruined", "lost the whole private pile, beside being caught"),
    Tactic("executed", "was executed, beside being caught"),
)
(SHARE_DIAMOND, SHARE_GEM, SHARE_ROCK, SMUGGLE, ADMIT, BAIT, KEEP_GEM, KEEP_ROCK, MISCLAIM) = range(
    9
)
HIT, MISS, FREE_HIT, FREE_MISS, PASSED, CAUGHT, RUINED, EXECUTED = range(9, 17)
FATES = {CAUGHT: "caught", RUINED: "ruined", EXECUTED: "executed"}


def tactic_of(card: Card, claim: str | None) -> int:
    """The tactic that a play is."""
    truth = TRUTH[card]
    if claim is None:
        return {DIAMOND: SHARE_DIAMOND, GEM: SHARE_GEM, ROCK: SHARE_ROCK}[truth]
    if truth == claim:
        return {DIAMOND: ADMIT, GEM: KEEP_GEM, ROCK: KEEP_ROCK}[truth]
    return SMUGGLE if truth == DIAMOND else BAIT if claim == DIAMOND else MISCLAIM


TACTIC_OF = {
    claim: tuple(tactic_of(card, claim) for card in PACK.cards) for claim in (None, *CLAIMS)
}
"""`tactic_of` as a table: by claim, then card."""
