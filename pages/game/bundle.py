"""A page of ours as one HTML file: scripts and styles inside, opened without a server or a network.

It is the page itself, not another one: its template, with each script under its own name in an
import map. Modules cannot be loaded from neighbours of a file, and those in `data:` addresses
cannot name neighbours; so their names become bare ones. Pure.
"""

import base64
import posixpath
import re
from collections.abc import Callable

Read = Callable[[str], str]
"""Gives the text that is served under a path, such as `/static/dom.js`."""

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
"""What a kept file may load: nothing from anywhere."""

_IMPORT = re.compile(r'\b((?:from|import)\s*)"(\.{1,2}/[^"]+)"')
_STYLE = re.compile(r'<link rel="stylesheet" href="(/[^"]+)">')
_SCRIPT = re.compile(r'<script type="module" src="(/[^"]+)"></script>')
_ICON = re.compile(r'<link rel="icon" href="(/[^"]+)" type="([^"]+)">')


def bundled(template: str, read: Read, document: bytes) -> str:
    """A page with everything in it.

    Args:
        template: the page's HTML, which names styles and scripts by their paths.
        read: gives what stands under these paths.
        document: JSON; the page finds it in the element `kept`.
    """
    modules: dict[str, str] = {}
    entries = _SCRIPT.findall(template)
    for entry in entries:
        _collect(entry, read, modules)
    addresses = ",".join(f'"{_bare(path)}":"{_data(text)}"' for path, text in modules.items())
    starts = "".join(f'import "{_bare(entry)}";' for entry in entries)
    told = _harmless(document.decode())
    inside = (
        f'<script type="application/json" id="kept">{told}</script>'
        f'<script type="importmap">{{"imports":{{{addresses}}}}}</script>'
        f'<script type="module">{starts}</script>'
    )
    policy = f'<meta http-equiv="content-security-policy" content="{POLICY}">'
    page = _STYLE.sub(lambda found: f"<style>{read(found[1])}</style>", template)
    page = _ICON.sub(lambda found: _icon(read(found[1]), found[2]), page)
    page = _SCRIPT.sub("", page).replace("<head>", f"<head>{policy}", 1)
    return page.replace("</head>", f"{inside}</head>", 1)


def _collect(path: str, read: Read, modules: dict[str, str]) -> None:
    """A module and all that it imports, with bare names in place of relative ones."""
    if path in modules:
        return
    modules[path] = ""
    text, found = read(path), []

    def bare(match: re.Match[str]) -> str:
        found.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2])))
        return f'{match[1]}"{_bare(found[-1])}"'

    modules[path] = _IMPORT.sub(bare, text)
    for other in found:
        _collect(other, read, modules)


def _bare(path: str) -> str:
    return path.removeprefix("/")


def _data(script: str) -> str:
    return "data:text/javascript;base64," + base64.b64encode(script.encode()).decode()


def _icon(text: str, kind: str) -> str:
    address = f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"
    return f'<link rel="icon" href="{address}" type="{kind}">'


def _harmless(document: str) -> str:
    """JSON that ends no element and begins none, whatever the players are called."""
    return document.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
