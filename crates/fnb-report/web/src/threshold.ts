// The threshold, the costs and the class of the six charts.

import { draw, Thresholds } from "./charts";
import { byId, type Model } from "./model";
import { count, escape, PER_CENT, percent, wholePercent } from "./text";

function shade(share: number): number {
  return Math.min(Math.max(Math.ceil(share * 10), 1), 10);
}

export function threshold(model: Model): void {
  const charts = document.getElementById("charts");
  const all = model.scores;
  if (!charts || !all) return;
  const cut = byId("cut") as HTMLInputElement;
  const [missed, alarm] = ["cost-missed", "cost-alarm"].map((id) => byId(id) as HTMLInputElement) as [HTMLInputElement, HTMLInputElement];
  const picker = document.querySelector<HTMLSelectElement>("[data-class]");
  const drawings = [...charts.querySelectorAll("svg")];
  let chosen = Number(charts.dataset.of);
  let thresholds = new Thresholds(all[chosen]?.b ?? []);

  const others = () => {
    const against = model.main?.[1];
    return against === undefined ? "all others" : escape(clip(model.classes[against] as string));
  };
  const choice = () => ({
    threshold: Number(cut.value) / 100,
    missed: Math.max(Number(missed.value) || 0, 0),
    alarm: Math.max(Number(alarm.value) || 0, 0),
  });

  const update = () => {
    const now = choice();
    const name = escape(clip(model.classes[chosen] as string));
    const inside = draw(thresholds, all[chosen]?.auc ?? null, name, others(), now);
    drawings.forEach((svg, i) => (svg.innerHTML = inside[i] as string));
    byId("at").textContent = `${cut.value}${PER_CENT}`;
    cut.setAttribute("aria-valuetext", `${cut.value}${PER_CENT}`);
    const flagged = thresholds.at(now.threshold);
    const { positives, negatives, rows } = thresholds;
    const number = flagged.right + flagged.wrong;
    const chip = `<span class=chip>${name}</span>`;
    const [cheapest, lowest] = thresholds.cheapest(now);
    const right = number > 0 ? `Of 100 flagged, ${escape(wholePercent(flagged.right / number))} are right. ` : "";
    byId("told").innerHTML =
      `Of 100 rows, ${escape(wholePercent(number / rows))} are flagged. ${right}Of 100 ${chip}, ` +
      `${escape(wholePercent(flagged.right / positives))} are found. Cost ${count(thresholds.cost(now))} per 1,000 rows; ` +
      `the lowest is ${count(lowest)}, at ${Math.round(100 * cheapest)}${PER_CENT}.`;
    const cells = [...byId("two-by-two").querySelectorAll<HTMLTableCellElement>("tbody td")];
    const parts = [flagged.right, positives - flagged.right, flagged.wrong, negatives - flagged.wrong];
    parts.forEach((part, i) => {
      const cell = cells[i] as HTMLTableCellElement;
      const share = part / (i < 2 ? positives : negatives);
      cell.className = `${i === 0 || i === 3 ? "u" : "w"} k${shade(share)}`;
      cell.innerHTML = `<b>${count(part)}</b>${escape(percent(share))}`;
    });
    for (const place of document.querySelectorAll("#s-performance [data-name]")) place.innerHTML = chip;
    for (const [mark, rows] of [["p", positives], ["n", negatives]] as const) {
      const place = document.querySelector(`#two-by-two [data-${mark}]`);
      if (place) place.textContent = count(rows);
    }
  };

  for (const input of [cut, missed, alarm]) input.addEventListener("input", update);
  byId("cheapest").addEventListener("click", () => {
    cut.value = String(Math.round(100 * thresholds.cheapest(choice())[0]));
    update();
  });
  picker?.addEventListener("change", () => {
    chosen = Number(picker.value);
    thresholds = new Thresholds(all[chosen]?.b ?? []);
    update();
  });
}

/** A name as short as the charts of the page have it. */
function clip(name: string): string {
  const letters = [...name];
  return letters.length <= 24 ? name : `${letters.slice(0, 12).join("")}…${letters.slice(-11).join("")}`;
}
