"""The commands under one name. Each parses, calls the library and prints what was written.

Everything heavy is imported inside the commands, so that ``--help`` answers at once.
"""

from collections import Counter
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from bicneuron._shared._version import __version__
from bicneuron.cli._explain import explain
from bicneuron.cli._find import find
from bicneuron.cli._fit import fit
from bicneuron.cli._messages import end
from bicneuron.cli._options import REMOVED
from bicneuron.cli._predict import predict
from bicneuron.cli._replicate import replicate

# Commands that are gone, and what to use instead.
GONE = {
    "genes": "bicneuron find writes its lists: -o NAME.columns.csv -o sets.gmt -o ranks.rnk",
    "datasets": "in a clone of the repository python -m reproduction --list",
    "reproduce": "in a clone of the repository python -m reproduction",
    "study": "in a clone of the repository python -m studies",
}
SEARCHED = "use BicNeuronClassifier() in Python, which searches its parameters, or --model accurate"


class Command(TyperCommand):
    """A command that refuses options that are gone, and a file or column that is named twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what would be forgotten in silence; of several numbers the last is taken."""
        known = {name for one in self.get_params(ctx) for name in one.opts}
        for word in args:
            option = word.partition("=")[0]
            if option in REMOVED and option not in known:
                end(f"there is no option {option} any more: {REMOVED[option]}.", 2)
        values, _, given = self.make_parser(ctx).parse_args(args=[*args])
        if "--model" in known and values.get("model") == "neuron-cv":
            end(f"there is no --model neuron-cv any more: {SEARCHED}.", 2)
        for parameter, count in Counter(given).items():
            one: Any = parameter
            takes_one = one.param_type_name == "option" and not one.multiple
            if count > 1 and takes_one and one.metavar is not None:
                end(f"{one.opts[0]} is given {count} times; give it once.", 2)
        return super().parse_args(ctx, args)


class Commands(TyperGroup):
    """The commands; a mistyped one is refused in one line that names the nearest."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is named first."""
        name = args[0]
        if name in GONE:
            end(f"there is no command {name!r} any more: {GONE[name]}.", 2)
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing:
            commands = self.list_commands(ctx)
            close = get_close_matches(name.lower(), commands, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(commands)}."
            end(f"no command {name!r}; {meant}", 2)
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (find, replicate, predict, fit, explain):
    app.command(command.__name__, cls=Command)(command)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"bicneuron {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Find patients who share a few columns, show that it is not chance, and predict from it.

    \b
    From a file to an answer:
      bicneuron find patients.csv --target diagnosis -o groups.html -o groups.skops
      bicneuron replicate groups.skops other_patients.csv -o found_again.html
      bicneuron fit patients.csv --target diagnosis -o model.skops
      bicneuron predict model.skops new_patients.csv -o predictions.csv
      bicneuron explain model.skops patients.csv -o report.html

    Exit codes: 0 done, 2 refused (a one-line error says why), 130 Ctrl-C, 143 SIGTERM.
    """
