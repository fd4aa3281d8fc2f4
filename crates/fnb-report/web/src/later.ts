// Tables of less important variables, drawn when they are opened.

import type { Model, Term } from "./model";
import { evidence } from "./score";
import { count, escape, PER_CENT, percent, signed, wholePercent } from "./text";

const SCALE = 3;
const CLASSES = 3;

export function later(model: Model): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details[data-later]")) {
    const draw = () => {
      const term = model.terms[Number(details.dataset.later)];
      if (!details.open || details.dataset.later === "" || !term) return;
      details.dataset.later = "";
      details.insertAdjacentHTML("beforeend", `<article>${table(model, term)}</article>`);
    };
    details.addEventListener("toggle", draw);
  }
}

function table(model: Model, term: Term): string {
  const labels = term.axes[0]?.l ?? [];
  const lines = term.n ?? [];
  const rows = lines.map((line) => line.reduce((a, b) => a + b, 0));
  const most = Math.max(...rows, 1);
  if (!model.main) return many(model, labels, lines, rows);
  const [main, against] = model.main;
  const all = model.counts.reduce((a, b) => a + b, 0);
  const body = lines.map((line, part) => {
    const share = (line[main] as number) / Math.max(rows[part] as number, 1);
    const scores = evidence(model, term, part);
    const by = (scores[main] as number) - (scores[against] as number);
    const size = 50 * Math.min(Math.abs(by) / SCALE, 1);
    return (
      `<tr><th class=row scope=row>${escape(labels[part] as string)}<td class=n>${count(rows[part] as number)}<td class="b hs"><i style="width:${((100 * (rows[part] as number)) / most).toFixed(1)}%"></i>` +
      `<td class=n>${escape(percent(share))}<td class=s><i style="--w:${share.toFixed(4)}"></i><td class=n>${signed(by)}<td class=v><i class="${by >= 0 ? "p" : "q"}${Math.abs(by) > SCALE ? " cut" : ""}" style="--l:${(by >= 0 ? 50 : 50 - size).toFixed(1)}%;--w:${size.toFixed(1)}%"></i>`
    );
  });
  const share = (model.counts[main] as number) / all;
  return `<table style="--t:${share.toFixed(4)}"><thead><tr><th scope=col>Part<th scope=col class=n>Rows<td class=hs><th scope=col colspan=2>Share of ${escape(model.classes[main] as string)}<th scope=col colspan=2>Adds</thead><tbody>${body.join("")}</tbody></table>`;
}

/** The most frequent classes of each part. */
function many(model: Model, labels: string[], lines: number[][], rows: number[]): string {
  const body = lines.map((line, part) => {
    const order = line.map((_, j) => j).sort((a, b) => (line[b] as number) - (line[a] as number) || a - b);
    const first = order.slice(0, CLASSES).filter((j) => (line[j] as number) > 0);
    const named = first.map((j) => `${escape(model.classes[j] as string)} ${escape(wholePercent((line[j] as number) / (rows[part] as number)))}${PER_CENT}`);
    return `<tr><th class=row scope=row>${escape(labels[part] as string)}<td class=n>${count(rows[part] as number)}<td>${named.join(", ")}`;
  });
  return `<table><thead><tr><th scope=col>Part<th scope=col class=n>Rows<th scope=col>Most often</thead><tbody>${body.join("")}</tbody></table>`;
}
