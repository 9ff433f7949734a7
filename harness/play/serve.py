"""Inside a host: loads a bot and lets it decide. Nothing in here is trusted by the runner."""

import os
from array import array
from collections.abc import Callable, Sequence
from mmap import mmap
from pathlib import Path
from typing import Any

from games.game import Action, Game, Rules
from harness.bot import Bot, Setup
from harness.play.faults import shortened
from harness.play.host import PLACE
from harness.play.loading import load_class
from harness.play.match import equal_action
from harness.play.restrictions import Forbid, Restrictions
from harness.play.wire import CRASH, ILLEGAL, LOAD, MEMORY, REPLY, TEXT_CAP, Shape, view_type


class Server:
    """Answers a runner's requests."""

    def __init__(self, game: Game, setting: dict[str, Any], page: mmap, replies: int) -> None:
        self.game = game
        self.players: int = setting["players"]
        self.rules = told_by_seat(game, setting)
        self.page = page
        self.replies = replies
        self.view = Shape(view_type(game), game.parse)
        self.events: list[Shape] = []
        self.actions: list[Action] = []
        self.choices: list[tuple[Action, ...]] = []
        self.bots: dict[int, Bot] = {}
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
        ended; and decisions, each (match, seat, seed, view, choice's number, events).
        """
        number, kinds, news, ended, decisions = request
        self._learn(kinds, news)
        for match in ended:
            self.bots.pop(match, None)
        if self.many is not None and len(decisions) > 0:
            answers, texts = self._act_many(number, decisions)
        else:
            answers, texts = self._act_each(number, decisions)
        self._reply(number, answers, texts)

    def _learn(self, kinds: Sequence[str], news: Sequence[Any]) -> None:
        for name in kinds:
            module, _, qualified = name.partition(":")
            kind: Any = __import__(module, fromlist=["_"])
            for part in qualified.split("."):
                kind = getattr(kind, part)
            self.events.append(Shape(kind, self.game.parse))
        for new in news:
            if new is None:
                self.choices.clear()
            elif isinstance(new, str):
                self.actions.append(self.game.parse(new))
            else:
                self.choices.append(tuple([self.actions[code] for code in new]))

    def _act_each(
        self, number: int, decisions: Sequence[tuple[Any, ...]]
    ) -> tuple[list[int], list[str]]:
        answers, texts = [], []
        place, page, build = PLACE.pack_into, self.page, self.view.build
        bots, choices = self.bots, self.choices
        for i, (match, seat, seed, view, choice, events) in enumerate(decisions):
            place(page, 0, number, i)
            legal = choices[choice]
            bot = bots.get(match)
            try:
                if bot is None:
                    bot = self._made(match, seat, seed)
                if events:
                    self._hear(bot, events)
                said = bot.act(build(view), legal)
            except BaseException as error:  # a bot may raise anything, and nothing gets by
                answers.append(_kind(error, bot))
                texts.append(_text(error))
                continue
            index = self._index(said, legal)
            answers.append(index)
            if index < 0:
                texts.append(f"answered {_said(said)}, which is not a legal action")
        return answers, texts

    def _act_many(
        self, number: int, decisions: Sequence[tuple[Any, ...]]
    ) -> tuple[list[int], list[str]]:
        """All decisions at once; what goes wrong is charged to each of them."""
        bots: list[Bot] = []
        views = [self.view.build(decision[3]) for decision in decisions]
        legals = [self.choices[decision[4]] for decision in decisions]
        PLACE.pack_into(self.page, 0, number, 0)
        bot: Bot | None = None
        try:
            for match, seat, seed, _, _, events in decisions:
                bot = self.bots.get(match)
                if bot is None:
                    bot = self._made(match, seat, seed)
                if events:
                    self._hear(bot, events)
                bots.append(bot)
            assert self.many is not None
            said = list(self.many(bots, views, legals))
            if len(said) != len(decisions):
                raise ValueError(
                    f"act_many gave {len(said)} answers for {len(decisions)} decisions"
                )
        except BaseException as error:
            return [_kind(error, bot)] * len(decisions), [_text(error)] * len(decisions)
        answers = [self._index(one, legal) for one, legal in zip(said, legals, strict=True)]
        texts = [
            f"answered {_said(one)}, which is not a legal action"
            for one, answer in zip(said, answers, strict=True)
            if answer < 0
        ]
        return answers, texts

    def _made(self, match: int, seat: int, seed: int) -> Bot:
        assert self.make is not None
        setup = (self.game.name, self.rules[seat], self.players, seat, seed)
        bot = self.bots[match] = self.make(tuple.__new__(Setup, setup))
        return bot

    def _hear(self, bot: Any, events: Sequence[tuple[int, Any]]) -> None:
        for kind, plain in events:
            bot.observe(self.events[kind].build(plain))

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


def _said(answer: object) -> str:
    try:
        return repr(answer)[:100]
    except BaseException:
        return f"an unprintable {type(answer).__name__}"
