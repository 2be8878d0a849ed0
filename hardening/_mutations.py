"""Small changes of source code, each of which a test should notice."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

_COMPARISONS: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
}
_OPERATORS: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Div(),
    ast.Div: ast.Mult(),
    ast.FloorDiv: ast.Mult(),
    ast.Mod: ast.FloorDiv(),
    ast.Pow: ast.Mult(),
    ast.BitAnd: ast.BitOr(),
    ast.BitOr: ast.BitAnd(),
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "argmin": "argmax"}
_NAMES |= {"argmax": "argmin", "minimum": "maximum", "maximum": "minimum"}


class Mutation(NamedTuple):
    """A place of a source file, and what is written there instead."""

    line: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: str) -> str:
        """Give the changed source."""
        return source[: self.start] + self.after + source[self.end :]


def mutations(source: str) -> list[Mutation]:
    """All small changes of a source file: operators, numbers, conditions, statements left out.

    Annotations, decorators, texts and messages of errors stay as they are: nothing a test of
    behaviour could notice.
    """
    begins = [0]
    for line in source.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    lines = source.splitlines()

    def place(line: int, byte: int) -> int:
        return begins[line - 1] + len(lines[line - 1].encode()[:byte].decode())

    found = []
    for node, after in _changes(ast.parse(source)):
        start = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or 0, node.end_col_offset or 0)
        found.append(Mutation(node.lineno, start, end, source[start:end], after))
    return found


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    if isinstance(node, ast.expr):
        changed = _other_expression(node)
        if changed is not None:
            yield node, f"({ast.unparse(changed)})"
    elif isinstance(node, ast.AugAssign | ast.Raise | ast.Break | ast.Continue) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield node, "pass"
    elif isinstance(node, ast.If | ast.While):
        yield node.test, f"(not ({ast.unparse(node.test)}))"
    for child in _seen_by_tests(node):
        yield from _changes(child)


def _other_expression(node: ast.expr) -> ast.expr | None:
    """A changed copy, or nothing if there is nothing to change in the outermost part."""
    match node:
        case ast.Compare(left, [operator], right) if type(operator) in _COMPARISONS:
            return ast.Compare(left, [_COMPARISONS[type(operator)]], right)
        case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
            return ast.BinOp(left, _OPERATORS[type(operator)], right)
        case ast.BoolOp(operator, values):
            return ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            return operand
        case ast.IfExp(test, body, other):
            return ast.IfExp(test, other, body)
        case ast.Constant(bool() as value):
            return ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            return ast.Constant(value + 1)
        case ast.Call(ast.Name(name), arguments, keywords) if name in _NAMES:
            return ast.Call(ast.Name(_NAMES[name]), arguments, keywords)
        case ast.Call(ast.Attribute(value, name), arguments, keywords) if name in _NAMES:
            return ast.Call(ast.Attribute(value, _NAMES[name]), arguments, keywords)
    return None


def _seen_by_tests(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom):
        return
    hidden = {"annotation", "returns", "decorator_list", "bases"}
    for name, value in ast.iter_fields(node):
        if name not in hidden:
            children = value if isinstance(value, list) else [value]
            yield from (child for child in children if isinstance(child, ast.AST))
