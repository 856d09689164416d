"""The scripts of a page as one script, its styles as one style: few requests, or none in a file.

The sources stay ES modules as the browser takes them. In a bundle each becomes a function that runs
once, after those it imports, and gives what it exports:

    const $2 = (() => { // tower.js
      const { el, svg } = $0, { say } = $1;
      …
      return { Tower };
    })();

This holds for the ways in which our scripts import and export: named, at the beginning of a line,
never in a circle, and nothing exported changes later. Anything else is refused. What a script
imports later, by `import("…")`, is a bundle of its own; it is given the modules that both
need, so that these run once. Pure.
"""

import base64
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count

Read = Callable[[str], str]
"""Gives the text that is served under a path, such as `/static/dom.js`."""

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
"""What a kept file may load: nothing from anywhere."""

_IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as (\w+)) from "(\.{1,2}/[^"]+)";$', re.MULTILINE)
_PASSED_ON = re.compile(r'^export \{([^}]*)\} from "(\.{1,2}/[^"]+)";$', re.MULTILINE)
_LIST = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
_LATER = re.compile(r'\bimport\("(\.{1,2}/[^"]+)"\)')
_EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.MULTILINE)
_NOT_OURS = re.compile(r"^(?:import\b|export\b).*|\bimport\(.*", re.MULTILINE)
_NAME = re.compile(r"\$\d+\b")
_COMMENT_LINE = re.compile(r"^\s*(?://.*)?\n|^[ \t]+", re.MULTILINE)
_COMMENT_IN_STYLE = re.compile(r"/\*.*?\*/", re.DOTALL)
_STYLE = re.compile(r'\n? *<link rel="stylesheet" href="(/[^"]+)">')
_SCRIPT = re.compile(r'\n? *<script type="module" src="(/[^"]+)"></script>')
_ICON = re.compile(r'<link rel="icon" href="(/[^"]+)" type="([^"]+)">')


class NotBundledError(ValueError):
    """A script imports or exports in a way that a bundle does not know; says which and how."""


def scripts_of(template: str) -> list[str]:
    """Paths of the scripts that a page names, in their order."""
    return _SCRIPT.findall(template)


def styles_of(template: str) -> list[str]:
    """Paths of the styles that a page names, in their order."""
    return _STYLE.findall(template)


def script(
    entries: list[str],
    read: Read,
    apart: Mapping[str, str] | None = None,
    later: Callable[[str, str], str] | None = None,
) -> str:
    """One module that does what these do.

    Args:
        entries: paths of the scripts that run.
        read: gives what stands under these paths and those that they import.
        apart: paths of modules that stay files of their own -> the address of such a file.
        later: is given the path of a module that is imported later and its bundle, and gives the
            address of that. Without it nothing may be imported later.

    Raises:
        NotBundledError: a script is written in another way than ours are.
        KeyError: a script imports what is not there.
    """
    made = _Bundle(read, apart or {}, later=later is not None)
    for entry in entries:
        made.add(entry)
    text = "\n".join([*made.imports, *made.modules.values()]) + "\n"
    for path, name in made.later.items():
        bundle, taken = made.continued(path)
        at = later(path, bundle) if later else ""
        loaded = f'import("{at}").then((late) => late.default({taken}))'
        text = f"let {name};\n" + text.replace(f"{name}()", f"({name} ??= {loaded})")
    return text


def alone(path: str, read: Read) -> str:
    """A module that stays a file of its own, without comments; it imports nothing.

    Raises:
        NotBundledError: it imports something.
    """
    text = _without_comments(read(path))
    if found := _IMPORT.search(text):
        raise NotBundledError(f"{path}: stands apart, and yet: {found[0]}")
    return text


def style(paths: list[str], read: Read) -> str:
    """One style sheet with all of these, without comments."""
    whole = "\n".join(read(path) for path in paths)
    return _COMMENT_LINE.sub("", _COMMENT_IN_STYLE.sub("", whole))


def linked(template: str, *, language: str, style_at: str, script_at: str, apart: list[str]) -> str:
    """A page that names one style, one script, and what this imports, to be fetched meanwhile.

    Args:
        template: the page's HTML, which names styles and scripts by their paths.
        language: tag of the language in which its script will fill it.
        style_at: address of the one style.
        script_at: address of the one script.
        apart: addresses of the modules that it imports, which run as soon as they are there.
    """
    links = "".join([
        f'  <link rel="stylesheet" href="{style_at}">\n',
        *(f'  <script type="module" async src="{at}"></script>\n' for at in apart),
        f'  <script type="module" src="{script_at}"></script>\n',
    ])  # fmt: skip
    page = _SCRIPT.sub("", _STYLE.sub("", template))
    page = page.replace('<html lang="en">', f'<html lang="{language}">', 1)
    return page.replace("</head>", f"{links}</head>", 1)


def inlined(template: str, read: Read, document: bytes) -> str:
    """A page with everything in it, opened without a server or a network.

    Args:
        template: the page's HTML, which names styles and scripts by their paths.
        read: gives what stands under these paths.
        document: JSON; the page finds it in the element `kept`.
    """
    styles = f"<style>{style(styles_of(template), read)}</style>"
    return _filled(template, read, document, styles, script(scripts_of(template), read))


def inlined_together(templates: Mapping[str, str], read: Read, document: bytes) -> str:
    """Several pages in one such file: the first, or by `?page=` the one of that name.

    Args:
        templates: pages by name, each with one script. Heading and icon are those of the first.
        read: as for `inlined`.
        document: JSON that all of them find in `kept`.
    """
    first = next(iter(templates))
    inside = "".join(_as_template(name, page, read) for name, page in templates.items())
    whole = _BODY.sub(lambda _: f"<body>{inside}</body>", templates[first])
    return _filled(whole, read, document, "", _STARTER % first + _by_page(templates, read))


_BODY = re.compile(r'<body(?: class="([^"]*)")?>(.*)</body>', re.DOTALL)
_STARTER = """const asked = new URLSearchParams(location.search).get("page");
const page = document.getElementById(`page-${asked}`) ? asked : "%s";
const chosen = document.getElementById(`page-${page}`);
document.body.className = chosen.dataset.body;
document.body.append(chosen.content);
"""
"""Puts a page into the document, before any of its scripts runs."""


def _as_template(name: str, template: str, read: Read) -> str:
    """A page's styles and body, which are nothing until they are put into the document."""
    found = _BODY.search(template)
    if found is None:
        raise NotBundledError(f"the template {name} has no body")
    styles = style(styles_of(template), read)
    classes, body = found[1] or "", found[2]
    return (
        f'<template id="page-{name}" data-body="{classes}"><style>{styles}</style>{body}</template>'
    )


def _by_page(templates: Mapping[str, str], read: Read) -> str:
    """A script that runs what several pages need, and then what only the chosen one does."""
    entries = {name: scripts_of(template)[0] for name, template in templates.items()}
    made = _Bundle(read, {})
    for entry in entries.values():
        made.add(entry)
    needed = {name: made.needed(entry) for name, entry in entries.items()}
    often = Counter(path for paths in needed.values() for path in paths)
    parts = [text for path, text in made.modules.items() if often[path] > 1]
    for name, paths in needed.items():
        own = [text for path, text in made.modules.items() if path in paths and often[path] == 1]
        parts.append("\n".join([f'if (page === "{name}") {{', *own, "}"]))
    return "\n".join(parts) + "\n"


def _filled(template: str, read: Read, document: bytes, styles: str, scripts: str) -> str:
    told = _harmless(document.decode())
    # In a script only what ends the element must not stand; in a string of ours it may be escaped.
    scripts = scripts.replace("</script", "<\\/script")
    inside = (
        f'{styles}<script type="application/json" id="kept">{told}</script>'
        f'<script type="module">{scripts}</script>'
    )
    policy = f'<meta http-equiv="content-security-policy" content="{POLICY}">'
    page = _SCRIPT.sub("", _STYLE.sub("", template))
    page = _ICON.sub(lambda found: _icon(read(found[1]), found[2]), page)
    page = page.replace("<head>", f"<head>{policy}", 1)
    return page.replace("</head>", f"{inside}</head>", 1)


class _Bundle:
    """Modules in the order in which they run."""

    def __init__(self, read: Read, apart: Mapping[str, str], *, later: bool = False) -> None:
        self._read, self._apart, self._may_later = read, apart, later
        self._names: dict[str, str] = {}
        self._numbers = count()
        self.imports: list[str] = []
        self.modules: dict[str, str] = {}
        self._imported: dict[str, set[str]] = {}
        self.later: dict[str, str] = {}
        self._loaded_later: set[str] = set()

    def needed(self, path: str) -> set[str]:
        """Paths of a module and of all that it imports, by way of others too."""
        return {path}.union(*(self.needed(one) for one in self._imported.get(path, ())))

    def add(self, path: str) -> str:
        """The name of a module's exports, after it and all that it imports."""
        if path in self._names:
            if not self._names[path]:
                raise NotBundledError(f"{path} imports itself by way of others")
            return self._names[path]
        self._names[path] = ""
        if path in self._apart:
            name = self._named(path)
            self.imports.append(f'import * as {name} from "{self._apart[path]}";')
            return name
        body, exports = self._body(path)
        name = self._named(path)
        head = f"const {name} = (() => {{ // {path.rpartition('/')[2]}"
        self.modules[path] = f"{head}\n{body}return {{ {', '.join(exports)} }};\n}})();"
        return name

    def continued(self, path: str) -> tuple[str, str]:
        """The bundle of what is imported later, and which names of this one it is to be given."""
        late = _Bundle(self._read, {})
        late._names, late._numbers = {**self._names}, self._numbers
        name, text = late.add(path), "\n".join(late.modules.values())
        own = late._names.keys() - self._names.keys()
        if twice := own & self._loaded_later:
            raise NotBundledError(f"{path}: another one imported later has {', '.join(twice)} too")
        self._loaded_later |= own
        taken = f"{{ {', '.join(sorted({*_NAME.findall(text)} & {*self._names.values()}))} }}"
        return f"export default ({taken}) => {{\n{text}\nreturn {name};\n}};\n", taken

    def _named(self, path: str) -> str:
        self._names[path] = f"${next(self._numbers)}"
        return self._names[path]

    def _body(self, path: str) -> tuple[str, list[str]]:
        """A module's text inside its function, and what this gives back."""
        exports: list[str] = []

        def other(relative: str) -> str:
            wanted = _beside(path, relative)
            self._imported.setdefault(path, set()).add(wanted)
            return self.add(wanted)

        def imported(found: re.Match[str]) -> str:
            names = found[2] or f"{{ {_renamed(found[1])} }}"
            return f"const {names} = {other(found[3])};"

        def passed_on(found: re.Match[str]) -> str:
            name = other(found[2])
            exports.extend(f"{_given(one, f'{name}.')}" for one in found[1].split(","))
            return ""

        def listed(found: re.Match[str]) -> str:
            exports.extend(_given(one) for one in found[1].split(","))
            return ""

        def exported(found: re.Match[str]) -> str:
            exports.append(found[2])
            return f"{found[1]} {found[2]}"

        text = self._text(path)
        for form, made in (
            (_IMPORT, imported), (_PASSED_ON, passed_on), (_LIST, listed), (_EXPORT, exported)
        ):  # fmt: skip
            text = form.sub(made, text)
        if strange := _NOT_OURS.search(text):
            raise NotBundledError(f"{path}: cannot be bundled: {strange[0]}")
        return text, exports

    def _text(self, path: str) -> str:
        """A module without comments, and with a name for each that it imports later."""

        def later(found: re.Match[str]) -> str:
            name = f"$later{len(self.later)}"
            return f"{self.later.setdefault(_beside(path, found[1]), name)}()"

        text = _without_comments(self._read(path))
        return _LATER.sub(later, text) if self._may_later else text


def _beside(path: str, relative: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))


def _without_comments(text: str) -> str:
    return _COMMENT_LINE.sub("", text.rstrip("\n") + "\n")


def _renamed(names: str) -> str:
    """`a as b` of an import, as a destructuring has it."""
    return re.sub(r"\s+as\s+", ": ", names.strip())


def _given(name: str, of: str = "") -> str:
    """One name of an export list, as a field of what is given back."""
    inside, _, outside = name.strip().partition(" as ")
    return f"{outside or inside}: {of}{inside}"


def _icon(text: str, kind: str) -> str:
    address = f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"
    return f'<link rel="icon" href="{address}" type="{kind}">'


def _harmless(document: str) -> str:
    """JSON that ends no element and begins none, whatever the players are called."""
    return document.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
