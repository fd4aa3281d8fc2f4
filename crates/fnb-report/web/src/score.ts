// The arithmetic of the program: parts of values, scores of cells, probabilities.

import type { Axis, Model, Term } from "./model";

/** A value of a variable; null is missing, undefined not set. */
export type Value = number | string | null | undefined;

/** What stands for every value that no group lists. */
export const OTHER = "\u0000";

const groups = new WeakMap<Axis, Map<string | null, number>>();

/** The part of a value. */
export function partOf(axis: Axis, value: number | string | null): number {
  if (axis.cuts) {
    const own = axis.own ? 1 : 0;
    if (value === null) return 0;
    const number = Number(Number(value).toPrecision(10));
    let [low, high] = [0, axis.cuts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((axis.cuts[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    return low + own;
  }
  let map = groups.get(axis);
  if (!map) {
    map = new Map();
    for (const [part, values] of (axis.g ?? []).entries()) for (const one of values) map.set(one, part);
    groups.set(axis, map);
  }
  return map.get(value === null ? null : String(value)) ?? (axis.d as number);
}

/** Orthogonal polynomials of the ranks of parts; a first part of missing values has no rank. */
function polynomials(rows: number[], missing: boolean): number[][] {
  if (missing) return [new Array<number>(7).fill(0), ...polynomials(rows.slice(1), false)];
  const total = Math.max(rows.reduce((a, b) => a + b, 0), 1e-300);
  let before = 0;
  return rows.map((n) => {
    const x = (2 * (before + 0.5 * n)) / total - 1;
    before += n;
    const values = [1, x];
    for (let p = 2; p <= 6; p++) {
      values.push(((2 * p - 1) * x * (values[p - 1] as number) - (p - 1) * (values[p - 2] as number)) / p);
    }
    return values.map((value, p) => value * Math.sqrt(2 * p + 1));
  });
}

function surface(term: Term, cell: number, classes: number): number[] {
  const pair = term.axes.length > 1;
  const axes = (term.r ?? []).map((rows, i) => polynomials(rows, pair && !!term.axes[i]?.own));
  const [first, second] = axes as [number[][], number[][] | undefined];
  const seconds = second?.length ?? 1;
  const a = first[Math.floor(cell / seconds)] as number[];
  const b = second?.[cell % seconds];
  const functions: number[] = [];
  if (b) for (let p = 1; p <= 3; p++) for (let q = 1; q <= 3; q++) functions.push((a[p] as number) * (b[q] as number));
  else for (let p = 1; p <= 6; p++) functions.push(a[p] as number);
  const sums = new Array<number>(classes).fill(0);
  for (const [k, line] of (term.c ?? []).entries()) {
    for (let j = 0; j < classes; j++) sums[j] = (sums[j] as number) + (functions[k] as number) * (line[j] as number);
  }
  return sums;
}

/** What a cell of a term adds to the score of each class. */
export function evidence(model: Model, term: Term, cell: number): number[] {
  const classes = model.classes.length;
  if (term.s) return [...(term.s[cell] as number[]), 0];
  const scores = new Array<number>(classes).fill(0);
  if (term.w > 0 && term.n) {
    const lines = term.n;
    const line = lines[cell] as number[];
    for (let j = 0; j < classes; j++) {
      const total = (model.counts[j] as number) + lines.length * model.eps;
      scores[j] = term.w * Math.log(((line[j] as number) + model.eps) / total);
    }
  }
  if (term.c) surface(term, cell, classes).forEach((by, j) => (scores[j] = (scores[j] as number) + by));
  return scores;
}

/** The cell of a term, unless a variable of it is not set. */
export function cellOf(term: Term, values: Value[]): number | undefined {
  let cell = 0;
  for (const axis of term.axes) {
    const value = values[axis.i];
    if (value === undefined) return undefined;
    cell = cell * axis.l.length + partOf(axis, value);
  }
  return cell;
}

/** What each term adds to the score of each class, and the sums. */
export function score(model: Model, values: Value[]): { terms: (number[] | undefined)[]; scores: number[] } {
  const rows = model.counts.reduce((a, b) => a + b, 0);
  const scores = model.counts.map((n) => Math.log(n / rows));
  const terms = model.terms.map((term) => {
    const cell = cellOf(term, values);
    if (cell === undefined) return undefined;
    const added = evidence(model, term, cell);
    added.forEach((by, j) => (scores[j] = (scores[j] as number) + by));
    return added;
  });
  return { terms, scores };
}

/** Scores as probabilities, smoothed as the program does. */
export function probabilities(model: Model, scores: number[]): number[] {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  const rows = model.counts.reduce((a, b) => a + b, 0);
  const total = 1 + 0.5 / (rows + 1);
  const added = 0.5 / (scores.length * (rows + 1)) / total;
  return powers.map((power) => power / (sum * total) + added);
}

/** The probabilities of a row. */
export function predict(model: Model, values: Value[]): number[] {
  return probabilities(model, score(model, values).scores);
}

/** Does the page score the made-up rows of the model as the program did? */
export function selfTest(model: Model): boolean {
  return model.tests.every(({ row, p }) => {
    const found = predict(model, row);
    return p.every((expected, j) => Math.abs(expected - (found[j] as number)) <= 1e-9);
  });
}

/** A value that falls into a part. */
export function valueIn(axis: Axis, part: number): Value {
  if (axis.g) {
    const values = axis.g[part] as (string | null)[];
    return values.length > 0 ? values[0] : OTHER;
  }
  const cuts = axis.cuts ?? [];
  const interval = part - (axis.own ? 1 : 0);
  if (interval < 0) return null;
  const [low, high] = [cuts[interval - 1], cuts[interval]];
  let value = 0;
  if (low !== undefined && high !== undefined) value = (low + high) / 2;
  else if (high !== undefined) value = high;
  else if (low !== undefined) value = low + (axis.whole || low === 0 ? 1 : Math.abs(low) / 10);
  const candidates = axis.whole ? [Math.round(value), Math.floor(value), Math.ceil(value)] : [];
  for (let digits = 1; digits <= 10; digits++) candidates.push(Number(value.toPrecision(digits)));
  return candidates.find((candidate) => partOf(axis, candidate) === part) ?? high ?? value;
}
