// The model as the page holds it: counts, cuts and groups.

export type Axis = {
  /** Position of its variable among the inputs. */
  i: number;
  /** Labels of its parts. */
  l: string[];
  own?: boolean;
  cuts?: number[];
  whole?: boolean;
  g?: (string | null)[][];
  d?: number;
};

export type Term = {
  id: string;
  name: string;
  w: number;
  imp: number;
  axes: Axis[];
  /** Rows by cell and class. */
  n?: number[][];
  /** Scores by cell and class, less that of the last class. */
  s?: number[][];
  /** Coefficients of a surface, and the rows of the parts of its axes. */
  c?: number[][];
  r?: number[][];
};

/** Rows of a class by its probability: lowest, positives, negatives, sum. */
export type Block = [number, number, number, number];

export type Model = {
  classes: string[];
  counts: number[];
  main: [number, number] | null;
  eps: number;
  inputs: string[];
  terms: Term[];
  scores: ({ auc: number | null; b: Block[] } | null)[] | null;
  tests: { row: (number | string | null)[]; p: number[] }[];
  left: { rows: [string, number, number][]; why: string[]; most: number };
  /** Lines of columns with the letters of their drawings. */
  cols: [string, string][];
};

/** The model of the page; none where several are compared. */
export function load(): Model | null {
  const text = document.getElementById("model")?.textContent ?? "{}";
  const model = JSON.parse(text) as Partial<Model>;
  return model.classes ? (model as Model) : null;
}

/** An element that the page is known to have. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}
