// What the page can do with script, besides what it says without.

import { later } from "./later";
import { load } from "./model";
import { page } from "./page";
import { predict, type Value } from "./score";
import { search } from "./search";
import { tables } from "./tables";
import { threshold } from "./threshold";
import { whatIf } from "./what-if";

document.documentElement.classList.add("js");
const model = load();
page();
search(model);
tables(model);
if (model) {
  threshold(model);
  whatIf(model);
  later(model);
  // For those who want the arithmetic of the page without its form: the tests, a console.
  Object.assign(window, { fnb: { inputs: model.inputs, classes: model.classes, predict: (row: Value[]) => predict(model, row) } });
}
