// The six charts of a class, drawn as `svg/score_charts.rs` draws them.

import type { Block } from "./model";
import { coordinate as at, count, percent, plain } from "./text";

export type Choice = { threshold: number; missed: number; alarm: number };
type Point = [number, number];
type Sum = { right: number; wrong: number };

const BINS = 20;
const GROUPS = 12;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** The blocks of a class, added up from the highest probability down. */
export class Thresholds {
  readonly sums: Sum[] = [];
  readonly positives: number = 0;
  readonly negatives: number = 0;

  constructor(readonly blocks: Block[]) {
    for (const [, positives, negatives] of blocks) {
      this.positives += positives;
      this.negatives += negatives;
      this.sums.push({ right: this.positives, wrong: this.negatives });
    }
  }

  get rows(): number {
    return this.positives + this.negatives;
  }

  at(threshold: number): Sum {
    let found: Sum = { right: 0, wrong: 0 };
    for (const [i, block] of this.blocks.entries()) {
      if (block[0] < threshold) break;
      found = this.sums[i] as Sum;
    }
    return found;
  }

  cost({ threshold, missed, alarm }: Choice): number {
    const flagged = this.at(threshold);
    return (1000 * ((this.positives - flagged.right) * missed + flagged.wrong * alarm)) / this.rows;
  }

  cheapest(choice: Choice): Point {
    let best: Point = [0, this.cost({ ...choice, threshold: 0 })];
    for (let percent = 1; percent <= 100; percent++) {
      const cost = this.cost({ ...choice, threshold: percent / 100 });
      if (cost < best[1]) best = [percent / 100, cost];
    }
    return best;
  }

  bins(): Sum[] {
    const bins = Array.from({ length: BINS }, () => ({ right: 0, wrong: 0 }));
    for (const [, positives, negatives, sum] of this.blocks) {
      const mean = sum / (positives + negatives);
      const bin = bins[Math.min(Math.floor(mean * BINS), BINS - 1)] as Sum;
      bin.right += positives;
      bin.wrong += negatives;
    }
    return bins;
  }

  groups(): { announced: number; happened: number; rows: number }[] {
    const groups = [];
    let [rows, right, sum] = [0, 0, 0];
    for (const [i, block] of this.blocks.entries()) {
      rows += block[1] + block[2];
      right += block[1];
      sum += block[3];
      if (rows >= this.rows / GROUPS || i + 1 === this.blocks.length) {
        groups.push({ announced: sum / rows, happened: right / rows, rows });
        [rows, right, sum] = [0, 0, 0];
      }
    }
    return groups;
  }
}

class Ground {
  constructor(readonly height = 176, readonly most = 1) {}
  x(value: number): number {
    return 44 + 296 * value;
  }
  y(value: number): number {
    return 28 + this.height * (1 - value / this.most);
  }
  path(points: Point[]): string {
    return points.map(([x, y], i) => `${i ? "L" : "M"}${at(this.x(x))} ${at(this.y(y))}`).join("");
  }
  vertical(ticks: number[], label: (tick: number) => string): string {
    const line = (tick: number) =>
      `<path class=${tick === 0 ? "axis" : "grid"} d="M44 ${at(this.y(tick))}H340"/><text x=38 y=${at(this.y(tick) + 4)} text-anchor=end>${label(tick)}</text>`;
    return ticks.map(line).join("");
  }
  horizontal(y: number): string {
    const label = (tick: number) => `<text x=${at(tick < 1 ? this.x(tick) : 350)} y=${at(y)} text-anchor=${tick < 1 ? "middle" : "end"}>${shareLabel(tick)}</text>`;
    return QUARTERS.map(label).join("");
  }
  mark([x, y]: Point): string {
    return `<circle class=mark r=5 cx=${at(this.x(x))} cy=${at(this.y(y))} />`;
  }
}

function shareLabel(share: number): string {
  return share === 0 ? "0" : `${plain(100 * share)}%`;
}

function frame(ground: Ground, up: string, right: string): string {
  return `${ground.vertical(QUARTERS, shareLabel)}${ground.horizontal(222)}<text class=k x=4 y=14>↑ ${up}</text><text class=k x=340 y=242 text-anchor=end>${right} →</text>`;
}

export function ticks(high: number, wanted: number): number[] {
  if (!(high > 0)) return [0];
  const rough = high / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999) ?? 10 * power;
  return Array.from({ length: Math.floor(high / step + 1e-9) + 1 }, (_, i) => i * step);
}

const Z2 = 1.959963984540054 ** 2;

function wilson(share: number, rows: number): Point {
  const z2 = Z2 / rows;
  const centre = share + z2 / 2;
  const half = Math.sqrt(Z2) * Math.sqrt((share * (1 - share)) / rows + z2 / (4 * rows));
  const low = share <= 0 ? 0 : (centre - half) / (1 + z2);
  const high = share >= 1 ? 1 : (centre + half) / (1 + z2);
  return [Math.max(low, 0), Math.min(high, 1)];
}

function bar(ground: Ground, bin: number, base: number, end: number): string {
  const [left, right] = [ground.x(bin / BINS), ground.x((bin + 1) / BINS) - 1];
  return `M${at(left)} ${at(base)}V${at(end)}H${at(right)}V${at(base)}z`;
}

/** The insides of the six drawings. Names are HTML. */
export function draw(of: Thresholds, auc: number | null, name: string, others: string, choice: Choice): string[] {
  const ground = new Ground();
  const marked = of.at(choice.threshold);
  const { positives, negatives, rows } = of;

  const rocOf = (f: Sum): Point => [f.wrong / negatives, f.right / positives];
  const roc = `${frame(ground, `${name} found`, "others flagged by mistake")}<path class=dash d="${ground.path([[0, 0], [1, 1]])}"/><text x=${at(ground.x(0.62))} y=${at(ground.y(0.56))}>by chance</text><path class=line d="${ground.path([[0, 0], ...of.sums.map(rocOf)])}"/><text class=h x=334 y=188 text-anchor=end data-auc>${auc === null ? "" : `AUC ${figure(auc)}`}</text>${ground.mark(rocOf(marked))}`;

  const points = of.sums.filter((f) => f.right + f.wrong > 0).map((f): Point => [f.right / positives, f.right / (f.right + f.wrong)]);
  const chance = positives / rows;
  const here: Point = marked.right + marked.wrong > 0 ? [marked.right / positives, marked.right / (marked.right + marked.wrong)] : (points[0] ?? [0, 1]);
  const recall = `${frame(ground, "right among those flagged", `${name} found`)}<path class=dash d="${ground.path([[0, chance], [1, chance]])}"/><text x=50 y=${at(ground.y(chance) + (chance > 0.15 ? 14 : -6))}>by chance ${percent(chance)}</text><path class=line d="${ground.path(points)}"/>${ground.mark(here)}`;

  const gainOf = (f: Sum): Point => [(f.right + f.wrong) / rows, f.right / positives];
  const line: Point[] = [[0, 0], ...of.sums.map(gainOf)];
  const tenth = heightAt(line, 0.1);
  const times = Math.round((tenth / 0.1) * 10) / 10;
  const best = times === 1 ? "no more than at random" : `${plain(times)} times as many`;
  const gains = `${frame(ground, `${name} found`, "rows examined, best first")}<path class=dash d="${ground.path([[0, 0], [1, 1]])}"/><path class=dash d="${ground.path([[0, 0], [chance, 1], [1, 1]])}"/><text x=${at(ground.x(0.64))} y=${at(ground.y(0.54))}>at random</text><path class=line d="${ground.path(line)}"/><circle class=pos r=3.5 cx=${at(ground.x(0.1))} cy=${at(ground.y(tenth))} /><text class=h x=${at(ground.x(0.1) + 9)} y=${at(Math.min(ground.y(tenth) + 16, 198))} data-tenth>best 10\u202f%: ${best}</text>${ground.mark(gainOf(marked))}`;

  const low = new Ground(138);
  const dots = of.groups().map(({ announced, happened, rows }) => {
    const [below, above] = wilson(happened, rows);
    const x = at(low.x(announced));
    return `<path class=whisker d="M${x} ${at(low.y(above))}V${at(low.y(below))}"/><circle class=pos r=3.5 cx=${x} cy=${at(low.y(happened))} />`;
  });
  const bins = of.bins();
  const fullest = Math.max(...bins.map((b) => b.right + b.wrong), 1e-9);
  const strip = bins.map((b, i) => (b.right + b.wrong > 0 ? bar(low, i, 224, 224 - (26 * (b.right + b.wrong)) / fullest) : ""));
  const calibration = `${low.vertical(QUARTERS, shareLabel)}${low.horizontal(184)}<text class=k x=4 y=14>↑ ${name} in fact</text><text class=k x=340 y=242 text-anchor=end>probability announced →</text><text x=44 y=242>rows</text><path class=dash d="${low.path([[0, 0], [1, 1]])}"/><text x=334 y=132 text-anchor=end>on the line:</text><text x=334 y=148 text-anchor=end>as announced</text><g data-points>${dots.join("")}</g><path class=bars d="${strip.join("")}"/>`;

  const middle = 116;
  const most = Math.max(...bins.map((b) => Math.max(b.right / positives, b.wrong / negatives)), 1e-9);
  const above = bins.map((b, i) => (b.right > 0 ? bar(ground, i, middle - 0.5, middle - 0.5 - (74 * (b.right / positives)) / most) : ""));
  const below = bins.map((b, i) => (b.wrong > 0 ? bar(ground, i, middle + 0.5, middle + 0.5 + (74 * (b.wrong / negatives)) / most) : ""));
  const scores = `<text class=k x=4 y=14>share of each class, by probability given</text>${ground.horizontal(222)}<path class=grid d="M44 ${middle}H340"/><path class=pos d="${above.join("")}"/><path class=neg d="${below.join("")}"/><path class=thumb d="M${at(ground.x(choice.threshold))} 34V204"/><text class=h x=48 y=40>${name}</text><text class=h x=336 y=202 text-anchor=end>${others}</text><text class=k x=340 y=242 text-anchor=end>probability of ${name} →</text>`;

  const costs = Array.from({ length: 101 }, (_, i): Point => [i / 100, of.cost({ ...choice, threshold: i / 100 })]);
  const highest = Math.max(...costs.map((point) => point[1]), 1e-9);
  const scale = new Ground(176, highest * 1.05);
  const [cheapest, lowest] = of.cheapest(choice);
  const left = cheapest > 0.5;
  const cost = `<text class=k x=4 y=14>↑ cost per 1,000 rows</text><g data-scale>${scale.vertical(ticks(highest, 5), plain)}</g>${scale.horizontal(222)}<path class=line d="${scale.path(costs)}"/><g data-lowest><circle class=pos r=3.5 cx=${at(scale.x(cheapest))} cy=${at(scale.y(lowest))} /><text class=h x=${at(scale.x(cheapest) + (left ? -8 : 8))} y=${at(Math.max(scale.y(lowest) - 16, 40))} text-anchor=${left ? "end" : "start"}>lowest: ${count(lowest)} at ${plain(100 * cheapest)}%</text></g>${scale.mark([choice.threshold, of.cost(choice)])}<text class=k x=340 y=242 text-anchor=end>threshold →</text>`;

  return [roc, recall, gains, calibration, scores, cost];
}

/** Three decimals, 1 only where it is 1. */
function figure(value: number): string {
  const text = value.toFixed(3);
  return value < 1 && text === "1.000" ? "&gt;0.999" : text;
}

function heightAt(line: Point[], x: number): number {
  const next = line.findIndex((point) => point[0] >= x);
  const [a, b] = [line[next - 1], line[next]];
  if (a && b && b[0] > a[0]) return a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]);
  return b ? b[1] : 1;
}
