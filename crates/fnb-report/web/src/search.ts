// One field that finds sections, variables, values, columns, classes and terms.

import type { Model } from "./model";
import { escape } from "./text";

type Entry = { text: string; kind: string; to: string };

/** What people look for under other names. */
const TERMS: [string, string][] = [
  ["AUC", "#s-summary"],
  ["Accuracy", "#s-summary"],
  ["Compression", "#s-summary"],
  ["Log loss", "#s-summary"],
  ["Threshold, cut-off", "#threshold"],
  ["Confusion matrix", "#two-by-two"],
  ["Confusion matrix", "#confusion"],
  ["ROC, precision, recall, gains, lift, calibration", "#charts"],
  ["Importance, weight, level", "#s-model"],
  ["Fewer variables, size", "#fewer"],
  ["Explain one answer", "#s-what-if"],
  ["Hash, version, command", "#s-reproduce"],
];
const SHOWN = 12;
const VALUES = 20_000;

function entries(model: Model | null): Entry[] {
  const found: Entry[] = [];
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".side > ol > li > a")) {
    found.push({ text: link.textContent ?? "", kind: "section", to: link.hash });
  }
  for (const [text, to] of TERMS) if (document.querySelector(to)) found.push({ text, kind: "term", to });
  for (const term of model?.terms ?? []) {
    found.push({ text: term.name, kind: term.axes.length > 1 ? "table" : "variable", to: `#${term.id}` });
  }
  for (const name of model?.classes ?? []) found.push({ text: name, kind: "class", to: "#s-performance" });
  for (const [id, kind] of [["data", "column"], ["left-out", "left out"]] as const) {
    for (const cell of document.querySelectorAll(`#t-${id} tbody th`)) {
      found.push({ text: cell.querySelector("[title]")?.getAttribute("title") ?? cell.textContent ?? "", kind, to: `#s-${id}` });
    }
  }
  for (const [name] of model?.left.rows ?? []) found.push({ text: name, kind: "left out", to: "#s-left-out" });
  let values = 0;
  for (const term of model?.terms ?? []) {
    if (term.axes.length > 1) continue;
    for (const value of (term.axes[0]?.g ?? []).flat()) {
      if (value !== null && values++ < VALUES) found.push({ text: value, kind: `value of ${term.name}`, to: `#${term.id}` });
    }
  }
  return found;
}

export function search(model: Model | null): void {
  const place = document.getElementById("find");
  if (!place) return;
  place.innerHTML =
    `<input type=search id=search role=combobox aria-expanded=false aria-controls=found aria-autocomplete=list autocomplete=off ` +
    `aria-label="Search the report" placeholder="Search   /"><ul id=found role=listbox aria-label="Found" hidden></ul>`;
  const field = place.querySelector("input") as HTMLInputElement;
  const list = place.querySelector("ul") as HTMLElement;
  let all: Entry[] | undefined;
  let hits: Entry[] = [];
  let at = 0;

  const show = () => {
    all ??= entries(model);
    const wanted = field.value.trim().toLowerCase();
    const rank = (entry: Entry) => {
      const text = entry.text.toLowerCase();
      return text === wanted ? 0 : text.startsWith(wanted) ? 1 : text.includes(wanted) ? 2 : 3;
    };
    hits = wanted === "" ? [] : [0, 1, 2].flatMap((r) => (all as Entry[]).filter((entry) => rank(entry) === r)).slice(0, SHOWN);
    at = 0;
    draw(wanted !== "");
  };
  const draw = (open: boolean) => {
    list.hidden = !open;
    field.setAttribute("aria-expanded", String(open));
    list.innerHTML = hits.length
      ? hits.map((hit, i) => `<li role=option id=hit-${i} aria-selected=${i === at}>${escape(hit.text.slice(0, 80))}<small>${escape(hit.kind.slice(0, 60))}</small></li>`).join("")
      : `<li role=option aria-disabled=true aria-selected=false>Nothing found</li>`;
    if (open && hits.length) field.setAttribute("aria-activedescendant", `hit-${at}`);
    else field.removeAttribute("aria-activedescendant");
  };
  const go = (hit: Entry | undefined) => {
    if (!hit) return;
    draw(false);
    field.value = "";
    location.hash = hit.to;
    const target = document.querySelector<HTMLElement>(hit.to);
    target?.setAttribute("tabindex", "-1");
    target?.focus({ preventScroll: true });
    target?.scrollIntoView();
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = (at + (event.key === "ArrowDown" ? 1 : hits.length - 1)) % Math.max(hits.length, 1);
      draw(hits.length > 0);
      document.getElementById(`hit-${at}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") go(hits[at]);
    else if (event.key === "Escape") {
      draw(false);
      field.blur();
    }
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const item = (event.target as HTMLElement).closest("li");
    if (item) go(hits[[...list.children].indexOf(item)]);
  });
  field.addEventListener("blur", () => draw(false));
}
