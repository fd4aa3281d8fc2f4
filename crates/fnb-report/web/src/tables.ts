// Tables that can be sorted, filtered and shown whole.

import type { Model } from "./model";
import { escape } from "./text";

export function tables(model: Model | null): void {
  for (const table of document.querySelectorAll<HTMLTableElement>("table[data-sort]")) sortable(table);
  if (!model) return;
  let dataIsWhole = model.cols.length === 0;
  const wholeData = () => {
    if (dataIsWhole) return;
    dataIsWhole = true;
    document.querySelector("#t-data tbody")?.insertAdjacentHTML("beforeend", model.cols.join(""));
    remove("data");
  };
  document.querySelector("[data-all=data]")?.addEventListener("click", wholeData);
  document.querySelector("[data-all=left-out]")?.addEventListener("click", () => {
    document.querySelector("#t-left-out tbody")?.insertAdjacentHTML("beforeend", leftOut(model));
    remove("left-out");
  });
  const filter = document.querySelector<HTMLInputElement>("[data-filter=data]");
  filter?.addEventListener("input", () => {
    wholeData();
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

function remove(what: string): void {
  document.querySelector(`[data-all=${what}]`)?.parentElement?.remove();
}

function leftOut({ left }: Model): string {
  const line = ([name, level, why]: [string, number, number]) =>
    `<tr><th class=row scope=row>${escape(name)}<td class=n>${level > 0 ? level.toFixed(3) : "0"}<td class="b hs"><i style="width:${((100 * level) / Math.max(left.most, 1e-12)).toFixed(1)}%"></i><td>${left.why[why]}`;
  return left.rows.map(line).join("");
}

/** Puts buttons into the heads; the first press sorts numbers from the largest, texts from the first. */
function sortable(table: HTMLTableElement): void {
  for (const head of table.querySelectorAll<HTMLTableCellElement>("thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head));
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
