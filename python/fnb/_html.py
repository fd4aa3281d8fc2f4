"""The look of what a notebook shows: style, bars, tables. No script, no external resource."""

from __future__ import annotations

from html import escape

_LIGHT = (
    "--paper:#fff;--panel:#f6f7f9;--ink:#15191e;--ink2:#454d59;--ink3:#626b79;--line:#e4e7ec;"
    "--line2:#c4cad3;--pos:#1d5fb8;--neg:#b4540a;--bar:#a9b2bf;--mix:70%;"
    "--warn:#fff7e3;--warn2:#d79b00;--warn3:#4d3800;color-scheme:light"
)
_DARK = (
    "--paper:#13161a;--panel:#1b1f25;--ink:#e9ebee;--ink2:#bbc2cc;--ink3:#98a1ae;--line:#2a3038;"
    "--line2:#454d59;--pos:#7fb3f5;--neg:#f2a65e;--bar:#5b6573;--mix:44%;"
    "--warn:#29220f;--warn2:#b98a1b;--warn3:#f3dfa8;color-scheme:dark"
)
# How notebooks and pages say that they are light or dark; otherwise the system does.
_SAID_LIGHT = (
    "[data-jp-theme-light=true] .fnb,.vscode-light .fnb,[theme=light] .fnb,[data-theme=light] .fnb"
)
_SAID_DARK = (
    "[data-jp-theme-light=false] .fnb,.vscode-dark .fnb,[theme=dark] .fnb,[data-theme=dark] .fnb"
)
# Shades of a cell: panel mixed with the colour so that ink stays readable on all of them.
_SHADES = "".join(
    f".fnb .k{step}{{background:color-mix(in srgb,var(--pos) calc(var(--mix)*{step / 10}),"
    "var(--panel))}"
    for step in range(1, 11)
)
_STYLE = (
    f"<style>.fnb{{{_LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{.fnb{{{_DARK}}}}}"
    f"{_SAID_LIGHT}{{{_LIGHT}}}{_SAID_DARK}{{{_DARK}}}"
    ".fnb{font:14px/1.45 ui-sans-serif,system-ui,sans-serif;font-variant-numeric:tabular-nums;"
    "color:var(--ink);background:var(--paper);padding:14px 16px;max-width:960px;overflow-x:auto;"
    "box-sizing:border-box}"
    ".fnb h3{font-size:18px;line-height:1.3;font-weight:640;margin:0 0 4px;color:var(--ink)}"
    ".fnb p{margin:0 0 8px;color:var(--ink2);max-width:75ch}"
    ".fnb i{color:var(--ink3);font-style:normal}"
    ".fnb .note{color:var(--ink3);font-size:13px;margin-top:8px}"
    ".fnb .warn{background:var(--warn);border-left:3px solid var(--warn2);color:var(--warn3);"
    "padding:6px 10px;overflow-wrap:anywhere}"
    # Notebooks have opinions about tables: each of these is said again.
    ".fnb table{border-collapse:collapse;border:0;margin:2px 0 10px;font-size:14px;width:auto;"
    "color:inherit;table-layout:auto}"
    ".fnb tbody tr,.fnb thead tr{background:none!important}"
    ".fnb th,.fnb td{padding:4px 14px 4px 0;border:0;border-bottom:1px solid var(--line);"
    "text-align:right;vertical-align:middle;white-space:nowrap;color:inherit;font-size:inherit;"
    "max-width:none}"
    ".fnb thead th{font-weight:400;font-size:13px;color:var(--ink3);"
    "border-bottom:1px solid var(--line2);vertical-align:bottom}"
    ".fnb tbody th{font-weight:600}"
    ".fnb .text{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9em;"
    "max-width:26em}"
    ".fnb thead .wide{text-align:center}.fnb td.bars{text-align:left;padding-left:0}"
    ".fnb .total td,.fnb .total th{border-bottom:0;border-top:1px solid var(--line2);"
    "font-weight:600}"
    ".fnb .cell{display:inline-block;position:relative;height:12px;vertical-align:middle}"
    ".fnb .cell b{position:absolute;top:0;height:12px;background:var(--bar);"
    "forced-color-adjust:none}"
    ".fnb .cell .pos{background:var(--pos)}.fnb .cell .neg{background:var(--neg)}"
    ".fnb .cell u{position:absolute;top:-3px;height:18px;width:1px;background:var(--ink2)}"
    ".fnb .heat td,.fnb .heat th{padding:4px 6px;font-size:13px}"
    ".fnb .heat .text{padding-left:0;min-width:7em}.fnb .heat td,.fnb .heat thead th{min-width:2em}"
    ".fnb .heat .share,.fnb .heat thead .share{text-align:center}.fnb .heat tbody .text{width:11em}"
    ".fnb .line,.fnb summary{display:grid;column-gap:14px;align-items:center;padding:5px 0;"
    "border-bottom:1px solid var(--line)}"
    ".fnb .line{font-size:13px;color:var(--ink3);border-color:var(--line2)}"
    ".fnb .of4{grid-template-columns:14px minmax(9em,1fr) 150px 130px 130px 3.5em}"
    ".fnb .of2{grid-template-columns:14px minmax(9em,1fr) 150px 3.5em}"
    ".fnb .num{display:grid;grid-template-columns:1fr 64px;column-gap:8px;align-items:center;"
    "text-align:right}"
    ".fnb summary{cursor:pointer;list-style:none;font-size:14px}"
    ".fnb summary::-webkit-details-marker{display:none}"
    ".fnb summary::before{content:'\\25B8';color:var(--ink3)}"
    ".fnb details[open]>summary::before{content:'\\25BE'}"
    ".fnb summary:focus-visible{outline:2px solid var(--pos);outline-offset:2px}"
    ".fnb .inside tbody .text{width:15em}.fnb .end{text-align:right}"
    ".fnb summary .name{font-weight:600;overflow-wrap:anywhere}"
    ".fnb .inside{padding:8px 0 10px 28px;overflow-x:auto}"
    f"{_SHADES}"
    # A narrow page keeps the numbers, and the bars that matter most.
    "@media(max-width:760px){.fnb{padding:10px}.fnb .inside{padding-left:0}"
    ".fnb .of4{grid-template-columns:14px minmax(6em,1fr) 122px 3em 3em 2.5em;column-gap:8px}"
    ".fnb .spare{grid-template-columns:1fr}"
    ".fnb .spare .cell,.fnb .inside td:nth-child(3) .cell{display:none}"
    ".fnb .inside .text{min-width:6em}.fnb th,.fnb td{padding-right:8px}}"
    "@media print{.fnb{print-color-adjust:exact}}"
    "</style>"
)


def page(body: str) -> str:
    """A whole display: the style travels with it."""
    return f"{_STYLE}<div class=fnb>{body}</div>"


def bar(part: float, width: int, kind: str = "", tick: float | None = None) -> str:
    """A bar that fills a part of a cell, and a tick at another part of it."""
    length = max(width * min(max(part, 0.0), 1.0), 1.0 if part > 0 else 0.0)
    filled = f"<b class='{kind}' style='left:0;width:{length:.1f}px'></b>" if length else ""
    mark = "" if tick is None else f"<u style='left:{width * tick:.1f}px'></u>"
    return f"<span class=cell aria-hidden=true style='width:{width}px'>{filled}{mark}</span>"


def two_sided(number: float, largest: float, width: int = 121) -> str:
    """A bar to the right of the middle for what is positive, to the left for what is not.

    A bar beyond the scale is cut: its number tells.
    """
    middle = width / 2
    length = min(abs(number) / largest, 1.0) * (middle - 1) if largest else 0.0
    length = max(length, 1.0)
    side, kind = (middle, "pos") if number >= 0 else (middle - length, "neg")
    filled = f"<b class={kind} style='left:{side:.1f}px;width:{length:.1f}px'></b>"
    middle_line = f"<u style='left:{middle:.1f}px;background:var(--line2)'></u>"
    return f"<span class=cell aria-hidden=true style='width:{width}px'>{filled}{middle_line}</span>"


def shade(part: float) -> str:
    """The class of a cell of a heat table."""
    step = min(round(10 * part), 10)
    return f"k{step}" if step else ""


def head(*columns: tuple[str, str]) -> str:
    """The titles of columns, each with its kind; over a number and its bar it is "bar"."""
    kinds = {
        "text": " class=text",
        "number": "",
        "bar": " class=wide colspan=2",
        "share": " class=share",
    }
    cells = [f"<th scope=col{kinds[kind]}>{escape(title)}</th>" for title, kind in columns]
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def cell(content: str, kind: str = "") -> str:
    """A cell of what is HTML already: a number, or "text", "bars", "share"."""
    return f"<td class='{kind}'>{content}</td>" if kind else f"<td>{content}</td>"


def line(name: str, *cells: str, exact: str = "", kind: str = "") -> str:
    """A line of a table: what it is about, as HTML, and its cells."""
    title = f" title='{escape(exact)}'" if exact else ""
    head = f"<th scope=row class=text{title}>{name}</th>"
    return (
        f"<tr class='{kind}'>{head}{''.join(cells)}</tr>"
        if kind
        else f"<tr>{head}{''.join(cells)}</tr>"
    )
