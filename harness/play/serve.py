"""Inside a host: loads a bot and lets it decide. Nothing in here is trusted by the runner."""

import os
from array import array
from collections.abc import Callable, Mapping, Sequence
from mmap import mmap
from pathlib import Path
from typing import Any

from games.game import Action, Game, Rules
from harness.bot import Bot, Setup
from harness.play.faults import shortened, spelled
from harness.play.host import PLACE
from harness.play.loading import load_class
from harness.play.match import equal_action
from harness.play.restrictions import Forbid, Restrictions
from harness.play.wire import (
    CRASH,
    ILLEGAL,
    LOAD,
    MEMORY,
    REPLY,
    TEXT_CAP,
    Convert,
    Meanings,
    view_type,
)


class Server:
    """Answers a runner's requests."""

    def __init__(self, game: Game, setting: dict[str, Any], page: mmap, replies: int) -> None:
        self.game = game
        self.players: int = setting["players"]
        self.rules = told_by_seat(game, setting)
        self.page = page
        self.replies = replies
        self.meanings = Meanings(game.parse)
        self.view = self.meanings.fields(view_type(game))
        self.events: list[Convert] = []
        self.bots: dict[int, Bot] = {}
        self.begun: dict[int, tuple[int, int]] = {}
        """Of each match that was told of, its seat and its bot's seed."""
        self.make: Callable[[Setup], Bot] | None = None
        self.many: Callable[[Any, Any, Any], Sequence[Any]] | None = None

    def load(self, request: tuple[Any, ...]) -> None:
        """Imports the bot's class; the answer is 0, or what went wrong."""
        number, module, class_name, parameters, folder, source = request
        try:
            made = load_class(module, class_name, folder, source)
            loader = getattr(made, "load", None)
            if folder is not None and loader is not None:
                loader(Path(folder))
            self.many = getattr(made, "act_many", None)
        except MemoryError as error:
            self._reply(number, [MEMORY], [shortened(error)])
            return
        except BaseException as error:  # a bot's file may do anything
            self._reply(number, [LOAD], [shortened(error)])
            return
        self.make = lambda setup: made(setup, **parameters)
        self._reply(number, [0], [])

    def answer(self, request: tuple[Any, ...]) -> None:
        """Decides everything that is asked, in order.

        A request is: its number; new kinds of events; new actions and choices; matches that have
        ended, and those that begin, each (match, seat, seed); events, each (decision, events); and
        of each decision the match, the view and the legal actions' numbers.
        """
        number, kinds, news, ended, begun, heard, matches, views, choices = request
        for name in kinds:
            self.events.append(self.meanings.fields(_found(name)))
        self.meanings.learn(news)
        for match in ended:
            self.bots.pop(match, None)
            self.begun.pop(match, None)
        for match, seat, seed in begun:
            self.begun[match] = (seat, seed)
        choice = self.meanings.choice
        legals = [choice(codes) for codes in choices]
        act = self._act_each if self.many is None else self._act_many
        answers, texts = act(number, matches, views, legals, dict(heard))
        self._reply(number, answers, texts)

    def _act_each(
        self,
        number: int,
        matches: Sequence[int],
        views: Sequence[Any],
        legals: Sequence[tuple[Action, ...]],
        heard: Mapping[int, Sequence[Any]],
    ) -> tuple[list[int], list[str]]:
        answers, texts = [], []
        place, page, build, bots = PLACE.pack_into, self.page, self.view, self.bots
        for i, (match, view, legal) in enumerate(zip(matches, views, legals, strict=True)):
            place(page, 0, number, i)
            bot = bots.get(match)
            try:
                if bot is None:
                    bot = self._made(match)
                if i in heard:
                    self._hear(bot, heard[i])
                said = bot.act(build(view), legal)
            except BaseException as error:  # a bot may raise anything, and nothing gets by
                answers.append(_kind(error, bot))
                texts.append(_text(error))
                continue
            index = self._index(said, legal)
            answers.append(index)
            if index < 0:
                texts.append(f"answered {spelled(said)}, which is not a legal action")
        return answers, texts

    def _act_many(
        self,
        number: int,
        matches: Sequence[int],
        views: Sequence[Any],
        legals: Sequence[tuple[Action, ...]],
        heard: Mapping[int, Sequence[Any]],
    ) -> tuple[list[int], list[str]]:
        """All decisions at once; what goes wrong is charged to each of them."""
        bots: list[Bot] = []
        seen = [self.view(view) for view in views]
        PLACE.pack_into(self.page, 0, number, 0)
        bot: Bot | None = None
        try:
            for i, match in enumerate(matches):
                bot = self.bots.get(match)
                if bot is None:
                    bot = self._made(match)
                if i in heard:
                    self._hear(bot, heard[i])
                bots.append(bot)
            assert self.many is not None
            said = list(self.many(bots, seen, legals))
            if len(said) != len(matches):
                raise ValueError(f"act_many gave {len(said)} answers for {len(matches)} decisions")
        except BaseException as error:
            return [_kind(error, bot)] * len(matches), [_text(error)] * len(matches)
        answers = [self._index(one, legal) for one, legal in zip(said, legals, strict=True)]
        texts = [
            f"answered {spelled(one)}, which is not a legal action"
            for one, answer in zip(said, answers, strict=True)
            if answer < 0
        ]
        return answers, texts

    def _made(self, match: int) -> Bot:
        assert self.make is not None
        seat, seed = self.begun[match]
        setup = (self.game.name, self.rules[seat], self.players, seat, seed)
        bot = self.bots[match] = self.make(tuple.__new__(Setup, setup))
        return bot

    def _hear(self, bot: Any, events: Sequence[tuple[int, Any]]) -> None:
        for kind, plain in events:
            bot.observe(self.events[kind](plain))

    def _index(self, said: object, legal: tuple[Action, ...]) -> int:
        for index, action in enumerate(legal):
            if action is said:
                return index
        equal = equal_action(self.game, said, legal)
        return ILLEGAL if equal is None else legal.index(equal)

    def _reply(self, number: int, answers: list[int], texts: list[str]) -> None:
        blob = b"".join(
            len(one).to_bytes(4, "little") + one
            for one in (text.encode("utf-8", "replace")[:TEXT_CAP] for text in texts)
        )
        body = array("i", answers).tobytes()
        whole = memoryview(REPLY.pack(number, len(answers), len(blob)) + body + blob)
        while whole:
            whole = whole[os.write(self.replies, whole) :]


def _found(name: str) -> Any:
    """The type of this name: `module:class`."""
    module, _, qualified = name.partition(":")
    kind: Any = __import__(module, fromlist=["_"])
    for part in qualified.split("."):
        kind = getattr(kind, part)
    return kind


def told_by_seat(game: Game, setting: dict[str, Any]) -> list[Rules]:
    """The rules as the bot is told them in each seat; of what is forbidden to bots as such a host
    knows only what is forbidden to its own.
    """
    rules = game.rules.read(setting["rules"])
    forbid = tuple(Forbid(*each) for each in setting["forbid"])
    names = {each.bot for each in forbid if each.bot is not None}
    given = Restrictions(forbid, setting["withhold"])
    players = setting["players"]
    return [given.told(game, rules, players, seat, names) for seat in range(players)]


def _kind(error: BaseException, bot: Bot | None) -> int:
    if isinstance(error, MemoryError):
        return MEMORY
    return LOAD if bot is None else CRASH


def _text(error: BaseException) -> str:
    try:
        return shortened(error)
    except BaseException:
        return type(error).__name__
