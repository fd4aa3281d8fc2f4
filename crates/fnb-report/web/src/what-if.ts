// Values chosen, the answer computed, its terms shown.

import type { Axis, Model, Term } from "./model";
import { cellOf, evidence, OTHER, partOf, probabilities, score, selfTest, type Value, valueIn } from "./score";
import { escape, percent, signed } from "./text";

/** Log odds of a whole bar to one side. */
const SCALE = 3;
/** Variables that are there from the start, if there are many. */
const FIRST = 15;
const MANY = 30;
/** Values of a variable to choose from. */
const VALUES = 2000;
const ADDRESS = "#what-if=";

export function whatIf(model: Model): void {
  const place = document.getElementById("what-if-form");
  if (!place) return;
  const note = document.getElementById("self-test");
  if (note && model.tests.length > 0) {
    note.textContent = selfTest(model)
      ? `Checked: this page gives the model's own probabilities on its ${model.tests.length} self-test rows.`
      : "This page does not give the model's own probabilities on its self-test rows: do not trust this form.";
  }
  new Form(model, place);
}

class Form {
  private readonly values: Value[];
  /** The term that shows an input: its own, or the first table that has it. */
  private readonly shown: (readonly [Term, Axis])[];
  private readonly order: number[];
  private visible: number[];

  constructor(
    private readonly model: Model,
    private readonly place: HTMLElement,
  ) {
    const { inputs, terms } = model;
    this.values = inputs.map(() => undefined);
    this.shown = inputs.map((_, i) => {
      const having = terms.filter((term) => term.axes.some((axis) => axis.i === i));
      const term = (having.find((term) => term.axes.length === 1) ?? having[0]) as Term;
      return [term, term.axes.find((axis) => axis.i === i) as Axis] as const;
    });
    this.order = inputs.map((_, i) => i).sort((a, b) => this.own(b) - this.own(a) || a - b);
    this.visible = inputs.length <= MANY ? [...this.order] : this.order.slice(0, FIRST);
    this.build();
    this.fromAddress();
    addEventListener("hashchange", () => this.fromAddress());
  }

  private own(input: number): number {
    const term = (this.shown[input] as readonly [Term, Axis])[0];
    return term.axes.length === 1 ? 1 + term.imp : term.imp;
  }

  private build(): void {
    const { model } = this;
    const typical = model.classes.length <= 4
      ? model.classes.map((name, j) => `<button type=button data-typical=${j}>typical ${escape(name)}</button>`).join("")
      : `<label>typical <select data-typicals><option value="">class…${model.classes.map((name, j) => `<option value=${j}>${escape(name)}`).join("")}</select></label>`;
    const of = model.main ? `the log odds of ${escape(model.classes[model.main[0]] as string)}` : "the log odds of the first class against the second";
    this.place.innerHTML =
      `<div class=tools><span>Start from</span><button type=button data-nothing>nothing known</button>${typical}<button type=button data-link>Copy link</button></div>` +
      `<div class=whatif><table class=form><thead><tr><th scope=col>Variable<th scope=col>Value<th scope=col colspan=2>Adds to <span data-odds>${of}</span></thead><tbody></tbody></table>` +
      `<div class=answer role=status></div></div>`;
    this.rows();
    this.place.addEventListener("input", (event) => this.changed(event.target as HTMLElement));
    this.place.addEventListener("click", (event) => this.pressed(event.target as HTMLElement));
  }

  private rows(): void {
    const hidden = this.order.filter((i) => !this.visible.includes(i));
    const tables = this.model.terms.filter((term) => term.axes.length > 1);
    const row = (name: string, control: string, key: string, added: string) =>
      `<tr data-row="${key}"><th class=row scope=row>${name}<td>${control}${added}`;
    const line = (name: string, control: string, key: string) => row(name, control, key, "<td class=n><td class=r><u></u><i></i>");
    const inputs = this.visible.map((i) => {
      const [term] = this.shown[i] as readonly [Term, Axis];
      const name = escape(this.model.inputs[i] as string);
      return term.axes.length === 1
        ? line(`<a href="#${term.id}">${name}</a>`, this.control(i), `i${i}`)
        : row(name, this.control(i), `i${i}`, "<td colspan=2 class=soft>adds in tables below");
    });
    const more = hidden.length
      ? `<tr><th class=row scope=row>${hidden.length} more<td colspan=3><select data-add aria-label="Add a variable"><option value="">Add a variable…${hidden.map((i) => `<option value=${i}>${escape(this.model.inputs[i] as string)}`).join("")}</select>`
      : "";
    const together = tables.map((term) => line(`<a href="#${term.id}">${escape(term.name)}</a>`, `<span class=soft>together</span>`, `t${this.model.terms.indexOf(term)}`));
    const body = this.place.querySelector("tbody") as HTMLElement;
    body.innerHTML = line("class shares", "", "start") + inputs.join("") + more + (together.length > 40 ? together.slice(0, 40) : together).join("") + line("sum", "", "sum");
    this.update();
  }

  private control(i: number): string {
    const [, axis] = this.shown[i] as readonly [Term, Axis];
    const name = escape(this.model.inputs[i] as string);
    const option = (value: string, label: string) => `<option value="${escape(value)}">${escape(label)}`;
    if (axis.cuts) {
      const parts = axis.l.map((label, part) => option(`p${part}`, label)).join("");
      return `<input type=text inputmode=decimal data-number=${i} placeholder=value aria-label="${name}, a number"> <select data-part=${i} aria-label="${name}, an interval"><option value="">not set${parts}</select>`;
    }
    const values = new Set((axis.g ?? []).flat());
    const named = [...values].filter((value): value is string => value !== null).slice(0, VALUES).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    return `<select data-value=${i} aria-label="${name}"><option value="">not set${named.map((value) => option(`v${value}`, value || "(empty)")).join("")}${option("o", "any other")}${option("m", "missing")}</select>`;
  }

  private changed(target: HTMLElement): void {
    const { number, part, value } = target.dataset;
    const text = (target as HTMLInputElement).value;
    if (number !== undefined) {
      const typed = Number(text.trim().replace(",", ".").replace("−", "-"));
      const isNumber = text.trim() !== "" && !Number.isNaN(typed);
      target.setAttribute("aria-invalid", String(text.trim() !== "" && !isNumber));
      this.values[Number(number)] = isNumber ? typed : undefined;
    } else if (part !== undefined) {
      const [, axis] = this.shown[Number(part)] as readonly [Term, Axis];
      this.values[Number(part)] = text === "" ? undefined : valueIn(axis, Number(text.slice(1)));
    } else if (value !== undefined) {
      this.values[Number(value)] = text === "" ? undefined : text === "o" ? OTHER : text === "m" ? null : text.slice(1);
    } else if (target.dataset.add !== undefined && text !== "") {
      this.visible.push(Number(text));
      this.rows();
      this.place.querySelector<HTMLElement>(`[data-row=i${text}] :is(input,select)`)?.focus();
      return;
    } else if (target.dataset.typicals !== undefined && text !== "") {
      this.typical(Number(text));
    }
    this.update(target);
  }

  private pressed(target: HTMLElement): void {
    if (target.dataset.nothing !== undefined) this.values.fill(undefined);
    else if (target.dataset.typical !== undefined) this.typical(Number(target.dataset.typical));
    else if (target.dataset.link !== undefined) {
      history.replaceState(null, "", this.address());
      navigator.clipboard?.writeText(location.href).catch(() => undefined);
      target.textContent = "Link in the address bar";
      return;
    } else return;
    this.update();
  }

  /** The most frequent part of every variable among the rows of a class. */
  private typical(class_: number): void {
    this.shown.forEach(([term, axis], i) => {
      if (term.axes.length > 1 || !term.n) return;
      const counts = term.n.map((line) => line[class_] as number);
      this.values[i] = valueIn(axis, counts.indexOf(Math.max(...counts)));
    });
  }

  private address(): string {
    const set = this.values.map((value, i) => {
      if (value === undefined) return "";
      return `${i}:${value === null ? "~" : value === OTHER ? "*" : encodeURIComponent(`=${value}`)}`;
    });
    return ADDRESS + set.filter(Boolean).join("&");
  }

  private fromAddress(): void {
    if (!location.hash.startsWith(ADDRESS)) return;
    this.values.fill(undefined);
    for (const pair of location.hash.slice(ADDRESS.length).split("&")) {
      const [key = "", text = ""] = pair.split(/:(.*)/s);
      const shown = this.shown[Number(key)];
      if (!shown || key === "") continue;
      const value = text.startsWith("=") || text.startsWith("%3D") ? decodeURIComponent(text).slice(1) : text;
      this.values[Number(key)] = text === "~" ? null : text === "*" ? OTHER : shown[1].cuts ? Number(value) : value;
      if (!this.visible.includes(Number(key))) this.visible.push(Number(key));
    }
    this.rows();
    document.getElementById("s-what-if")?.scrollIntoView();
  }

  private update(by?: HTMLElement): void {
    const { model, place } = this;
    const { terms, scores } = score(model, this.values);
    const proba = probabilities(model, scores);
    const order = proba.map((_, j) => j).sort((a, b) => (proba[b] as number) - (proba[a] as number) || a - b);
    // What is explained: the main class against the other, or the winner against the next.
    const [one, other] = model.main ?? [order[0] as number, order[1] ?? (order[0] as number)];
    const odds = (line: number[]) => (line[one] as number) - (line[other] as number);
    const named = (j: number) => escape(model.classes[j] as string);
    const head = place.querySelector("[data-odds]") as HTMLElement;
    if (!model.main) head.innerHTML = `the log odds of ${named(one)} against ${named(other)}`;
    const start = Math.log((model.counts[one] as number) / (model.counts[other] as number));
    this.line("start", start);
    for (const i of this.visible) {
      const [term, axis] = this.shown[i] as readonly [Term, Axis];
      const value = this.values[i];
      if (term.axes.length === 1) {
        const added = terms[model.terms.indexOf(term)];
        const all = axis.l.map((_, cell) => odds(evidence(model, term, cell)));
        this.line(`i${i}`, added && odds(added), [Math.min(...all), Math.max(...all)]);
      }
      this.show(i, axis, value, by);
    }
    model.terms.forEach((term, t) => {
      const added = terms[t];
      if (term.axes.length > 1) this.line(`t${t}`, added && odds(added));
    });
    this.line("sum", (scores[one] as number) - (scores[other] as number));
    this.answer(proba, order, one, other, (scores[one] as number) - (scores[other] as number));
  }

  /** Puts a value into its controls, but not into the one that is being typed in. */
  private show(i: number, axis: Axis, value: Value, by?: HTMLElement): void {
    const set = (selector: string, text: string) => {
      const control = this.place.querySelector<HTMLInputElement>(selector);
      if (control && control !== by) control.value = text;
    };
    if (axis.cuts) {
      set(`[data-number="${i}"]`, typeof value === "number" ? String(value) : "");
      set(`[data-part="${i}"]`, value === undefined ? "" : `p${partOf(axis, value)}`);
    } else {
      set(`[data-value="${i}"]`, value === undefined ? "" : value === null ? "m" : value === OTHER ? "o" : `v${value}`);
    }
  }

  private line(key: string, by: number | undefined, range?: [number, number]): void {
    const row = this.place.querySelector(`[data-row="${key}"]`);
    if (!row) return;
    const [, number, bar] = [...row.querySelectorAll("td")] as HTMLElement[];
    if (!number || !bar) return;
    number.textContent = by === undefined ? "–" : signed(by);
    const x = (value: number) => 50 + (50 * Math.max(-SCALE, Math.min(SCALE, value))) / SCALE;
    const i = bar.querySelector("i") as HTMLElement;
    const value = by ?? 0;
    i.className = by === undefined ? "none" : value >= 0 ? "p" : "q";
    i.hidden = by === undefined;
    i.style.setProperty("--l", `${Math.min(50, x(value)).toFixed(1)}%`);
    i.style.setProperty("--w", `${Math.abs(x(value) - 50).toFixed(1)}%`);
    const u = bar.querySelector("u") as HTMLElement;
    u.hidden = !range;
    if (range) {
      u.style.setProperty("--a", `${x(range[0]).toFixed(1)}%`);
      u.style.setProperty("--z", `${(x(range[1]) - x(range[0])).toFixed(1)}%`);
    }
  }

  private answer(proba: number[], order: number[], one: number, other: number, odds: number): void {
    const { model } = this;
    const first = model.main ? one : (order[0] as number);
    const bars = order.slice(0, 5).map((j) => {
      const share = proba[j] as number;
      return `<tr><th scope=row>${escape(model.classes[j] as string)}<td class=b><i class="${j === first ? "p" : ""}" style="width:${(100 * share).toFixed(1)}%"></i><td class=n>${escape(percent(share))}`;
    });
    const box = this.place.querySelector(".answer") as HTMLElement;
    box.innerHTML =
      `<div><span class=big>${escape(percent(proba[first] as number))}</span> <span>${escape(model.classes[first] as string)}</span></div>` +
      `<table class=all><tbody>${bars.join("")}</tbody></table><p>${this.nearest(one, other, odds)}</p>`;
  }

  /** The smallest change of one variable that turns the answer. */
  private nearest(one: number, other: number, odds: number): string {
    const { model } = this;
    if (one === other) return "";
    const top = (values: Value[]) => {
      const { scores } = score(model, values);
      return scores.indexOf(Math.max(...scores));
    };
    const now = top(this.values);
    type Change = { i: number; part: number; size: number; values: Value[] };
    let best: Change | undefined;
    for (const i of this.visible) {
      const [term, axis] = this.shown[i] as readonly [Term, Axis];
      if (term.axes.length > 1) continue;
      for (const part of axis.l.keys()) {
        const values = [...this.values];
        values[i] = valueIn(axis, part);
        if (cellOf(term, values) === cellOf(term, this.values)) continue;
        const { scores } = score(model, values);
        const size = Math.abs((scores[one] as number) - (scores[other] as number) - odds);
        if ((best && size >= best.size) || top(values) === now) continue;
        best = { i, part, size, values };
      }
    }
    if (!best) return "No single change turns the answer.";
    const [, axis] = this.shown[best.i] as readonly [Term, Axis];
    const proba = probabilities(model, score(model, best.values).scores);
    const turned = model.main ? one : top(best.values);
    const what = model.main ? "" : ` of ${escape(model.classes[turned] as string)}`;
    return `Nearest change of answer: <b>${escape(model.inputs[best.i] as string)}</b> at <b>${escape(axis.l[best.part] as string)}</b> gives ${escape(percent(proba[turned] as number))}${what}.`;
  }
}
