// Tables that can be sorted, filtered and shown whole.

import type { Model } from "./model";
import { escape } from "./text";

export function tables(model: Model | null): void {
  const rest: Record<string, () => string> = model
    ? { data: () => model.cols.map(column).join(""), "left-out": () => leftOut(model) }
    : {};
  for (const table of document.querySelectorAll<HTMLTableElement>("table[data-sort]")) {
    sortable(table, () => whole(table.id.slice(2), rest));
  }
  for (const button of document.querySelectorAll<HTMLElement>("[data-all]")) {
    button.addEventListener("click", () => whole(button.dataset.all as string, rest));
  }
  const filter = document.querySelector<HTMLInputElement>("[data-filter=data]");
  filter?.addEventListener("input", () => {
    whole("data", rest);
    const wanted = filter.value.trim().toLowerCase();
    const rows = [...document.querySelectorAll<HTMLTableRowElement>("#t-data tbody tr")];
    let shown = 0;
    for (const row of rows) {
      row.hidden = wanted !== "" && !(row.textContent ?? "").toLowerCase().includes(wanted);
      if (!row.hidden) shown++;
    }
    const said = document.querySelector("[data-count=data]");
    if (said) said.textContent = wanted === "" ? "" : `${shown} of ${rows.length}`;
  });
}

/** Adds the lines of a table that are not in the HTML. */
function whole(what: string, rest: Record<string, () => string>): void {
  const button = document.querySelector(`[data-all=${what}]`);
  const lines = rest[what];
  if (!button || !lines) return;
  document.querySelector(`#t-${what} tbody`)?.insertAdjacentHTML("beforeend", lines());
  button.parentElement?.remove();
}

/** The line of a column, its drawing as `svg/spark.rs` has it. */
function column([line, letters]: [string, string]): string {
  const width = Math.min(96 / letters.length, 12);
  const bars = [...letters].map((letter, i) => {
    const height = (22 * Number.parseInt(letter, 36)) / 35;
    const [x, w, h] = [i * width, Math.max(width - 0.8, 0.4), Math.max(height, 0.7)].map((n) => n.toFixed(1));
    return letter === "0" ? "" : `M${x} 22v-${h}h${w}v${h}z`;
  });
  return line.replace("<svg class=spark>", `<svg class=spark viewBox="0 0 96 22" aria-hidden=true><path d="${bars.join("")}"/></svg>`);
}

function leftOut({ left }: Model): string {
  const line = ([name, level, why]: [string, number, number]) =>
    `<tr><th class=row scope=row>${escape(name)}<td class=n>${level > 0 ? level.toFixed(3) : "0"}<td class="b hs"><i style="width:${((100 * level) / Math.max(left.most, 1e-12)).toFixed(1)}%"></i><td>${left.why[why]}`;
  return left.rows.map(line).join("");
}

/** Puts buttons into the heads; the first press sorts numbers from the largest, texts from the first. */
function sortable(table: HTMLTableElement, complete: () => void): void {
  for (const head of table.querySelectorAll<HTMLTableCellElement>("thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      complete();
      sort(table, head);
    });
  }
}

function sort(table: HTMLTableElement, head: HTMLTableCellElement): void {
  const body = table.tBodies[0];
  if (!body) return;
  const column = head.cellIndex;
  const isNumber = head.classList.contains("n");
  const before = head.getAttribute("aria-sort");
  const direction = before === "descending" ? "ascending" : before === "ascending" ? "descending" : isNumber ? "descending" : "ascending";
  for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction);
  const text = (row: HTMLTableRowElement) => row.cells[column]?.textContent ?? "";
  const key = (row: HTMLTableRowElement) => {
    const found = Number.parseFloat(text(row).replace(/[,<>×≈ ]/g, "").replace("−", "-"));
    return Number.isNaN(found) ? -Infinity : found;
  };
  const sign = direction === "ascending" ? 1 : -1;
  const rows = [...body.rows];
  rows.sort((a, b) => {
    if (!isNumber) return sign * text(a).localeCompare(text(b), "en", { numeric: true });
    const [x, y] = [key(a), key(b)];
    return x === y ? 0 : sign * (x < y ? -1 : 1);
  });
  body.append(...rows);
}
