"""Where a source file can be changed so that it may become wrong. Pure: text in, places out.

A mutation changes one place: another operator, another constant, a condition turned round, a
statement dropped, two arguments swapped. Words (text constants, logging) are left alone: what a
table says is held by tests of the sentences themselves. So is what only guards: assertions, types,
`strict=True`.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
CONTINUOUS = re.compile(r"(?:^|_)(?:m?s|g|gmm|gmm2|rad|deg|mm|hz|dps|p|sd)$", re.IGNORECASE)
"""Names of quantities by their units. Two of them are never just equal, so where they are compared
`<` for `<=` would be the same program; the comparison is turned round instead."""

ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.MatMult: ("@", "*"),
}

ALIKE = ("max", "min", "maximum", "minimum", "hypot", "logaddexp")
"""Functions to which the order of their arguments is all one."""

C_OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "^": "|", "<<": ">>",
    ">>": "<<", "++": "--", "--": "++", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=",
}  # fmt: skip
C_TOKEN = re.compile(
    r"(?P<skip>/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?!define)[^\n]*)"
    r"|(?P<number>\b(?:0x[0-9A-Fa-f]+|\d+)(?P<kind>[uUlL]*)\b)"
    r"|(?P<operator> (?:<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\|=|&=|[-+*/%&|^<>]) |\+\+|--)",
    re.DOTALL | re.MULTILINE,
)
C_STATEMENT = re.compile(
    r"^(?P<indent>[ \t]+)(?P<said>[A-Za-z_][^;{}\n]*;)[ \t]*(?://.*)?$", re.MULTILINE
)
C_CALL = re.compile(r"\b[a-z_]\w*\((?P<one>[^(),;]+), (?P<two>[^(),;]+)\)")
C_NEEDED = ("return", "static", "const", "uint", "int", "volatile", "typedef", "extern", "void")
"""Statements that begin so declare something or give a value: without them nothing compiles."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one file.

    Attributes:
        path: of the file, from the root of the repository.
        begin, end: the characters of the file that are replaced by `after`.
        kind: of change.
        name: path, line of text and change; the same also when lines above come and go.
        lines: numbers of the lines of its statement, up to the change.
        in_function: whether it is run when somebody calls, and not with the import.
    """

    path: str
    begin: int
    end: int
    after: str
    kind: str
    name: str
    lines: range
    in_function: bool = True

    def applied(self, text: str) -> str:
        return text[: self.begin] + self.after + text[self.end :]


Place = tuple[int, int, str, str]
"""Begin, end, what stands there instead, kind of change."""


def mutations(path: str, text: str) -> list[Mutation]:
    """Every change that can be made in a file, Python or C, in the order of the file."""
    places = sorted(set(_in_c(text) if path.endswith(".c") else _in_python(text)))
    statements = _statements(text) if path.endswith(".py") else []
    times: Counter[str] = Counter()
    found = []
    for begin, end, after, kind in places:
        name = f"{path}: {_said(text, begin, end, after)}"
        times[name] += 1
        name += f" #{times[name]}" if times[name] > 1 else ""
        line = text.count("\n", 0, begin) + 1
        first, in_function = statements[line] if statements else (line, True)
        lines = range(first, line + 1)
        found.append(Mutation(path, begin, end, after, kind, name, lines, in_function))
    return found


def _said(text: str, begin: int, end: int, after: str) -> str:
    """The line with the change in double braces."""
    first = text.rfind("\n", 0, begin) + 1
    last = (text + "\n").find("\n", end)
    change = f"{{{{{text[begin:end]} => {after or 'nothing'}}}}}"
    return " ".join(f"{text[first:begin]}{change}{text[end:last]}".split())


def _statements(text: str) -> list[tuple[int, bool]]:
    """Of each line: where its innermost statement begins, and whether it stands in a function."""
    found = [(line, False) for line in range(text.count("\n") + 2)]

    def visit(node: ast.AST, within: bool) -> None:
        body = getattr(node, "body", [])
        for child in ast.iter_child_nodes(node):
            inside = within or (isinstance(node, ast.FunctionDef) and child in body)
            if isinstance(child, ast.stmt):
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    found[line] = (child.lineno, inside)
            visit(child, inside)

    visit(ast.parse(text), within=False)
    return found


# --- Python ----------------------------------------------------------------------------------


class _Finder(ast.NodeVisitor):
    """Walks what is done, and passes over what is only said: types, docstrings, assertions."""

    def __init__(self, text: str, floats: set[str]) -> None:
        self.places: list[Place] = []
        self._floats = floats
        self._text = text
        lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self._lines = lines

    def _at(self, line: int, column_bytes: int) -> int:
        """Place in the text; the tree counts bytes."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column_bytes].decode())

    def _begin(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._at(node.end_lineno, node.end_col_offset)

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str, kind: str) -> None:
        """Replace the operator between two expressions."""
        begin, end = self._end(left), self._begin(right)
        pattern = r"\s+".join(re.escape(word) for word in old.split())
        if old[0].isalpha():
            pattern = rf"\b{pattern}\b"
        hits = list(re.finditer(pattern, self._text[begin:end]))
        if len(hits) == 1:
            self.places.append((begin + hits[0].start(), begin + hits[0].end(), new, kind))

    def visit_Compare(self, node: ast.Compare) -> None:
        """< and <=, == and !=, in and not in."""
        for (left, right), operator in zip(
            pairwise((node.left, *node.comparators)), node.ops, strict=True
        ):
            old, new = COMPARISONS[type(operator)]
            if old in TURNED and (self._is_continuous(left) or self._is_continuous(right)):
                new = TURNED[old]
            self._between(left, right, old, new, "operator")
        self.generic_visit(node)

    def _is_continuous(self, side: ast.expr) -> bool:
        names = [_name(node) for node in ast.walk(side)]
        numbers = [node for node in ast.walk(side) if isinstance(node, ast.Constant)]
        return any(CONTINUOUS.search(name) or name in self._floats for name in names) or any(
            isinstance(node.value, float) for node in numbers
        )

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """+ and -, * and /."""
        if type(node.op) in ARITHMETIC and not _is_text(node):
            self._between(node.left, node.right, *ARITHMETIC[type(node.op)], "operator")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            self._between(left, right, old, new, "operator")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Without `not`, without the sign."""
        if isinstance(node.op, ast.Not | ast.USub):
            begin = self._begin(node)
            sign = re.compile(r"not\b|-").match(self._text, begin)
            assert sign is not None
            self.places.append((begin, sign.end(), "", "operator"))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """One more; twice as much; the other truth."""
        value = node.value
        if isinstance(value, bool):
            after = str(not value)
        elif isinstance(value, int):
            after = str(value + 1)
        elif isinstance(value, float):
            after = repr(2 * value) if value else "1.0"
        else:
            return
        self.places.append((self._begin(node), self._end(node), after, "constant"))

    def visit_If(self, node: ast.If) -> None:
        """The condition turned round."""
        self._turn(node.test)
        self.generic_visit(node)

    visit_IfExp = visit_While = visit_If  # type: ignore[assignment]  # noqa: N815

    def _turn(self, test: ast.expr) -> None:
        known = isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
        if not known and not isinstance(test, ast.Compare | ast.UnaryOp | ast.Constant):
            begin, end = self._begin(test), self._end(test)
            self.places.append((begin, end, f"not ({self._text[begin:end]})", "condition"))

    def visit_Expr(self, node: ast.Expr) -> None:
        """A call that is not made."""
        if isinstance(node.value, ast.Constant) or _is_logging(node.value):
            return  # a docstring, a line of the log
        if isinstance(node.value, ast.Call):
            self._drop(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """A sum that does not grow."""
        self._drop(node)
        self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Something that is not remembered."""
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._drop(node)
        self.visit(node.value)

    def visit_Continue(self, node: ast.Continue) -> None:
        """It goes on."""
        self._drop(node)

    visit_Break = visit_Continue  # type: ignore[assignment]  # noqa: N815

    def _drop(self, node: ast.stmt) -> None:
        self.places.append((self._begin(node), self._end(node), "pass", "statement"))

    def visit_Call(self, node: ast.Call) -> None:
        """Neighbouring arguments swapped."""
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "cast"):
            for argument in node.args:
                if not _is_type(argument):
                    self.visit(argument)
            return
        for one, two in () if _name(node.func) in ALIKE else pairwise(node.args):
            if isinstance(one, ast.Starred) or isinstance(two, ast.Starred):
                continue
            begin, end = self._begin(one), self._end(two)
            middle = self._text[self._end(one) : self._begin(two)]
            first, second = self._text[begin : self._end(one)], self._text[self._begin(two) : end]
            if first != second:
                self.places.append((begin, end, second + middle + first, "arguments"))
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Not a guard."""
        if node.arg != "strict":
            self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Types are said, not done."""
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Neither decorators nor types."""
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_Assert(self, node: ast.Assert) -> None:
        """For the type checker."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Words."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Words."""


def _name(node: ast.AST) -> str:
    """The last word of a name; empty for anything else."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _floats(tree: ast.Module) -> set[str]:
    """Constants of a module that are floats."""
    return {
        _name(target)
        for node in tree.body
        if isinstance(node, ast.Assign)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, float)
        for target in node.targets
    }


def _is_logging(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in ("log", "logger", "logging", "_log")
    )


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp | ast.Tuple | ast.Subscript)


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _in_python(text: str) -> list[Place]:
    tree = ast.parse(text)
    finder = _Finder(text, _floats(tree))
    finder.visit(tree)
    return finder.places


# --- C ---------------------------------------------------------------------------------------


def _in_c(text: str) -> Iterator[Place]:
    quiet = [m.span() for m in C_TOKEN.finditer(text) if m["skip"]]

    def is_said(at: int) -> bool:
        return any(begin <= at < end for begin, end in quiet)

    for token in C_TOKEN.finditer(text):
        if token["number"]:
            value = int(token["number"].rstrip("uUlL"), 0)
            yield (*token.span(), f"{value + 1}{token['kind']}", "constant")
        elif token["operator"]:
            word = token["operator"].strip()
            begin = token.start() + token["operator"].index(word)
            yield begin, begin + len(word), C_OPERATORS[word], "operator"
    for statement in C_STATEMENT.finditer(text):
        said = statement["said"]
        if not is_said(statement.start("said")) and not said.startswith(C_NEEDED):
            yield statement.start("said"), statement.end("said"), ";", "statement"
    for call in C_CALL.finditer(text):
        if not is_said(call.start()) and call["one"] != call["two"]:
            swapped = f"{call['two']}, {call['one']}"
            yield call.start("one"), call.end("two"), swapped, "arguments"
