"""The scripts of a page as one: they run as the modules would, or are refused; and as one file."""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from pages.bundle import (
    NotBundledError,
    alone,
    inlined,
    inlined_together,
    linked,
    script,
    scripts_of,
    style,
)
from pages.files import FILES
from pages.packed import served
from tests.controller.conftest import CHROMIUM
from tests.pages.browser import wait_until

TEMPLATE = (
    '<html lang="en"><head><link rel="icon" href="/static/i.svg" type="image/svg+xml">'
    '<link rel="stylesheet" href="/static/a.css"><script type="module" src="/static/a.js"></script>'
    "</head><body></body>"
)
SERVED = {
    "/static/i.svg": "<svg/>",
    "/static/a.css": "/* red\n   or not */\np {\n  color: red;\n}\n",
    "/static/a.js": '// The first.\nimport {\n  b,\n  two as too,\n} from "./b.js";\n\n'
    'import * as all from "./games/c.js";\n// Said.\n'
    "say([b, too, all.x, all.z(), all.Kind.name]);\n",
    "/static/b.js": 'import { c } from "./games/c.js";\nexport const b = c; // kept\n'
    "const one = 2;\nexport { one as two };\n",
    "/static/games/c.js": 'export { x as x } from "../d.js";\nsay("c runs");\n'
    'export const c = "https://c";\n  // Inside.\nexport function z() {\n  return "z";\n}\n'
    "export class Kind {}\n",
    "/static/d.js": 'say("d runs");\nexport const x = 5;\n',
}
"""In all the ways in which our scripts import and export."""


def made(**more: str) -> str:
    changed = {f"/static/{name}.js": text for name, text in more.items()}
    return script(["/static/a.js"], (SERVED | changed).__getitem__)


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (apt-get install chromium)")
def test_a_bundle_runs_every_module_once_after_those_that_it_imports(chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.evaluate("() => { globalThis.said = []; globalThis.say = (it) => said.push(it); }")
    page.add_script_tag(content=made(), type="module")

    assert page.evaluate("said") == ["d runs", "c runs", ["https://c", 2, 5, "z", "Kind"]]
    context.close()


def test_lines_of_comments_and_indents_are_left_out() -> None:
    bundle = made()

    assert "The first" not in bundle
    assert "Inside" not in bundle
    assert re.findall(r" // (.*)", bundle) == ["d.js", "c.js", "b.js", "kept", "a.js"]
    assert not re.search(r"^[ \t]", bundle, re.MULTILINE)
    assert style(["/static/a.css"], SERVED.__getitem__) == "p {\ncolor: red;\n}\n"


@pytest.mark.parametrize(
    "text",
    [
        'import b from "./b.js";',
        'import "./b.js";',
        "import('./b.js').then(say);",
        "export default 5;",
        "export let changing = 5;",
        'export * from "./b.js";',
        'import { b } from "elsewhere";',
    ],
)
def test_other_ways_to_import_and_export_are_refused(text: str) -> None:
    with pytest.raises(NotBundledError, match=re.escape("/static/a.js: cannot be bundled")):
        made(a=text + "\n")


def test_modules_that_import_each_other_are_refused() -> None:
    with pytest.raises(NotBundledError, match="by way of others"):
        made(d='import { b } from "./b.js";\nexport const x = b;\n')


def test_a_module_that_is_not_there_is_noticed() -> None:
    with pytest.raises(KeyError):
        made(b='import { gone } from "./gone.js";\n')


def test_what_stands_apart_is_imported_from_its_own_address() -> None:
    apart = {"/static/b.js": "/elsewhere/b.js"}
    bundle = script(["/static/a.js"], SERVED.__getitem__, apart)

    assert bundle.startswith('import * as $0 from "/elsewhere/b.js";\n')
    assert "const one" not in bundle
    assert "two: too" in bundle
    assert alone("/static/d.js", SERVED.__getitem__) == SERVED["/static/d.js"]
    with pytest.raises(NotBundledError):
        alone("/static/b.js", SERVED.__getitem__)


LATER = {
    "a": 'import { b } from "./b.js";\nsay(b);\n'
    'const both = [import("./e.js"), import("./e.js")];\n'
    "Promise.all(both).then(([one, same]) => say([one.e, one === same]));\n",
    "e": 'import { x } from "./d.js";\nsay("e runs");\nexport const e = `e${x}`;\n',
}
"""The first imports another one later, which needs one that is there already."""


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (apt-get install chromium)")
def test_what_is_imported_later_runs_once_with_the_modules_that_are_there(chromium: Any) -> None:
    files = SERVED | {f"/static/{name}.js": text for name, text in LATER.items()}
    late: dict[str, str] = {}

    def later(path: str, text: str) -> str:
        late[path] = text
        return f"data:text/javascript,{quote(text)}"

    bundle = script(["/static/a.js"], files.__getitem__, later=later)
    page = chromium.new_context().new_page()
    page.evaluate("() => { globalThis.said = []; globalThis.say = (it) => said.push(it); }")
    page.add_script_tag(content=bundle, type="module")
    wait_until(page, "said.length === 5")

    assert page.evaluate("said") == ["d runs", "c runs", "https://c", "e runs", ["e5", True]]
    assert list(late) == ["/static/e.js"]
    assert "e runs" not in bundle
    assert "d runs" not in late["/static/e.js"]
    page.context.close()


def test_nothing_is_in_two_of_those_that_are_imported_later() -> None:
    more = {"/static/f.js": 'import { e } from "./e.js";\n'}
    text = 'import { x } from "./d.js";\nimport("./e.js");\nimport("./f.js");\n'
    files = SERVED | {"/static/e.js": LATER["e"], "/static/a.js": text} | more

    with pytest.raises(NotBundledError, match=re.escape("has /static/e.js too")):
        script(["/static/a.js"], files.__getitem__, later=lambda path, _: path)


def test_a_page_names_one_style_one_script_and_what_stands_apart() -> None:
    page = linked(TEMPLATE, language="de", style_at="/1.css", script_at="/2.js", apart=["/3.js"])

    assert page.startswith('<html lang="de">')
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == [
        "/static/i.svg", "/1.css", "/3.js", "/2.js",
    ]  # fmt: skip


def test_styles_picture_document_and_policy_stand_inside_a_page_to_keep() -> None:
    page = inlined(
        TEMPLATE,
        {**SERVED, "/static/d.js": 'export const x = "</script>";\n'}.__getitem__,
        b'{"name":"</script><b>&"}',
    )

    assert "<style>p {\ncolor: red;\n}\n</style>" in page
    assert '<head><meta http-equiv="content-security-policy" content="default-src' in page
    assert not re.search(r'(?:src|href)="/', page)
    assert page.count("</script>") == 2
    told = re.search(r'id="kept">(.*?)</script>', page)
    assert told is not None
    assert "<" not in told[1]
    assert json.loads(told[1]) == {"name": "</script><b>&"}


@pytest.mark.parametrize("name", [name for name, path in FILES.items() if path.suffix == ".html"])
def test_every_page_of_ours_can_be_bundled(name: str) -> None:
    template = FILES[name].read_text()
    bundle = script(scripts_of(template), served, later=lambda path, _: path)

    assert bundle.count("(() => {") >= len(scripts_of(template)) > 0
    # What spans lines must not lose its indents.
    assert all(line.count("`") % 2 == 0 for line in bundle.splitlines())


def test_the_page_of_a_game_is_whole() -> None:
    page = inlined(FILES["game.html"].read_text(), served, b"{}")

    assert {"languages.js", "facts.js", "tower.js"} <= set(re.findall(r"=> \{ // (.*)", page))
    assert not re.search(r'(?:src|href)="/static|^import', page, re.MULTILINE)


def test_pages_together_share_their_modules_and_keep_their_styles_apart() -> None:
    more = {
        "/static/z.css": "b { color: blue }",
        "/static/z.js": 'import { b } from "./b.js";\nsay(b);\n',
    }
    other = TEMPLATE.replace("a.css", "z.css").replace("a.js", "z.js")
    pages = {"one": TEMPLATE, "two": other.replace("<body>", '<body class="z">')}
    page = inlined_together(pages, (SERVED | more).__getitem__, b"{}")

    assert re.findall(r" // (\w+\.js)|if \(page === \"(\w+)\"", page) == [
        ("d.js", ""), ("c.js", ""), ("b.js", ""),
        ("", "one"), ("a.js", ""), ("", "two"), ("z.js", ""),
    ]  # fmt: skip
    assert page.count('id="kept"') == page.count('<script type="module">') == 1
    assert '<template id="page-one" data-body=""><style>p {' in page
    assert '<template id="page-two" data-body="z"><style>b { color: blue }' in page
    assert "/static/" not in page
