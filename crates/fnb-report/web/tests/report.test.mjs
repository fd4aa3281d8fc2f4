// The page in a real Chromium: what it shows, what it can do, what it must never do.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { compare, folder, HOSTILE, make, names, predict, random } from "./models.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SECTIONS = ["summary", "data", "model", "variables", "pairs", "tables", "performance", "what-if", "left-out", "reproduce"];
const WIDTHS = [1440, 900, 390];
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let browser;
const made = {};
const model = (name) => (made[name] ??= name === "compared" ? { html: compare("two", "pairs") } : make(name));
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(() => browser.close());

/** Opens a page; whatever it asks for, prints or alerts is a failure. */
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("request", (request) => request.url().startsWith("file:") || wrong.push(`asks for ${request.url()}`));
  page.on("console", (message) => wrong.push(`prints ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`fails with ${error.message}`));
  page.on("dialog", (dialog) => wrong.push(`alerts ${dialog.message()}`) && dialog.dismiss());
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(model(name).html).href);
  return {
    page,
    async close() {
      assert.deepEqual(wrong, [], name);
      assert.equal(requests.length, 1, `${name} asks for ${requests}`);
      await context.close();
    },
  };
}

/** Fails if axe-core finds anything, or if the page scrolls sideways. */
async function accessible(name) {
  const { page, close } = await open(name);
  // Evaluated from outside: the policy of the page does not allow another script in it.
  await page.evaluate(axe);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 1000 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} px too wide at ${width}`);
      const { violations } = await page.evaluate((tags) => axe.run(document, { runOnly: tags, resultTypes: ["violations"] }), TAGS);
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
      assert.deepEqual(found, [], `${width} px, ${colorScheme}`);
    }
  }
  await close();
}

for (const name of names) {
  describe(name, () => {
    test("has ten sections, unique ids and no word of a program", async () => {
      const { page, close } = await open(name);
      for (const section of SECTIONS) {
        assert.ok((await page.locator(`#s-${section}`).innerText()).length > 20, section);
      }
      const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((element) => element.id));
      assert.equal(new Set(ids).size, ids.length);
      const links = await page.evaluate(() => [...document.querySelectorAll('main a[href^="#"]')].map((a) => a.getAttribute("href").slice(1)));
      assert.deepEqual(links.filter((link) => !ids.includes(link)), []);
      const text = await page.locator("body").innerText();
      assert.doesNotMatch(text.replace(/[^\S\n]/g, " "), /\b(NaN|undefined|Infinity|null)\b|−0\.00\b/);
      assert.ok(!(await page.locator("#self-test").count()) || /^(Checked|$)/.test(await page.locator("#self-test").innerText()));
      await close();
    });

    test("says as much without script", async () => {
      const { page, close } = await open(name, { javaScriptEnabled: false });
      for (const section of SECTIONS) {
        assert.ok((await page.locator(`#s-${section}`).innerText()).length > 20, section);
      }
      assert.equal(await page.locator("button:visible").count(), 0);
      await close();
    });

    test("has nothing that axe-core finds, at three widths in two themes", () => accessible(name));
  });
}

describe("charts", () => {
  test("are drawn, not empty", async () => {
    const { page, close } = await open("two");
    const marks = (selector) => page.locator(selector).count();
    assert.equal(await marks("#charts svg"), 6);
    for (const svg of await page.locator("#charts svg").all()) {
      assert.ok((await svg.locator("path").count()) >= 3);
      assert.ok((await svg.locator("text").count()) >= 5);
    }
    assert.ok((await marks("#charts .whisker")) >= 5);
    assert.equal(await marks("#v-age figure svg .line"), 1);
    assert.equal(await marks("#v-age tbody tr"), await marks("#v-age tbody td.v i"));
    assert.ok((await marks("#t-data .spark path")) >= 4);
    assert.ok((await marks("#s-model .line")) === 1);
    await close();
  });

  test("are the same, drawn by the page and by the program", async () => {
    for (const name of ["two", "many", "hostile", "one"]) {
      const { page, close } = await open(name);
      const drawn = () => page.evaluate(() => [...document.querySelectorAll("#charts svg")].map((svg) => svg.innerHTML));
      const before = await drawn();
      await page.evaluate(() => document.getElementById("cut").dispatchEvent(new Event("input")));
      assert.deepEqual(await drawn(), before, name);
      await close();
    }
  });

  test("what variables add together is drawn: curves, smooth tables, tables over three", async () => {
    const { page, close } = await open("together");
    const { terms } = JSON.parse(readFileSync(model("together").model, "utf8"));
    const axes = (term) => term.axes.map((axis) => axis.name).sort().join();
    const kinds = new Map(terms.map((term) => [axes(term), term.correction]));
    assert.equal(kinds.get("u,v").kind, "surface");
    assert.ok(kinds.has("region,size,w") && kinds.get("w").within.length > 0);
    assert.equal(await page.locator(`svg[aria-label^="What w adds"] .line`).count(), 1);
    const added = await page.locator(`svg[aria-label^="What w adds"]`).getAttribute("aria-label");
    assert.equal(added.split(";").length, kinds.get("w").within.length);
    for (const term of terms.filter((term) => term.axes.length > 1)) {
      const id = await page.evaluate((name) => [...document.querySelectorAll("#t-pairs a")].find((a) => a.textContent === name).hash, term.name);
      assert.ok((await page.locator(`${id} .heat td:not(:empty)`).count()) >= 4, term.name);
    }
    assert.match(await page.locator("#s-pairs").innerText(), /Smooth: the factors change little by little/);
    // The variables of the title are those of the sentence, of the picture and of the form.
    const number = Number((await page.locator("h1").innerText()).match(/(\d+) variables/)[1]);
    assert.equal(number, new Set(terms.flatMap((term) => term.axes.map((axis) => axis.name))).size);
    assert.match(await page.locator("#s-summary").innerText(), new RegExp(`It uses ${number} of 6 variables`));
    assert.equal(await page.locator("[data-row^=i]").count(), number);
    await close();
  });

  test("heat maps, trees and schemas are drawn", async () => {
    for (const [name, selector, least] of [
      ["many", "#confusion td", 26 * 26],
      ["many", "#s-variables .heat td", 200],
      ["pairs", "#s-pairs .heat td", 4],
      ["pairs", "#s-variables svg .mark", 2],
      ["tables", "#s-tables svg .box", 3],
    ]) {
      const { page, close } = await open(name);
      assert.ok((await page.locator(selector).count()) >= least, `${name} ${selector}`);
      await close();
    }
  });
});

describe("threshold", () => {
  test("at one half it is the confusion matrix, and it moves all that depends on it", async () => {
    const { page, close } = await open("two");
    const file = JSON.parse(readFileSync(model("two").model, "utf8"));
    const { matrix } = file.evaluation.test.confusion;
    const shown = async () => (await page.locator("#two-by-two tbody b").allInnerTexts()).map((text) => Number(text.replace(",", "")));
    assert.deepEqual(await shown(), [matrix[1][1], matrix[0][1], matrix[1][0], matrix[0][0]]);
    const marks = () => page.locator("#charts .mark").evaluateAll((all) => all.map((mark) => mark.getAttribute("cx")));
    const before = await marks();
    await page.locator("#cut").focus();
    for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
    assert.match(await page.locator("#at").innerText(), /^70\s%$/);
    assert.ok((await marks()).every((x, i) => x !== before[i]));
    assert.notDeepEqual(await shown(), [matrix[1][1], matrix[0][1], matrix[1][0], matrix[0][0]]);
    await page.locator("#cost-missed").fill("5");
    await page.locator("#cheapest").click();
    assert.ok(Number.parseInt(await page.locator("#at").innerText()) < 50);
    await close();
  });

  test("the class of the charts can be chosen", async () => {
    const { page, close } = await open("many");
    const line = () => page.locator("#charts .line").first().getAttribute("d");
    const before = await line();
    await page.locator("[data-class]").selectOption({ label: "C" });
    assert.notEqual(await line(), before);
    assert.match(await page.locator("#told").innerText(), /Of 100 C/);
    await close();
  });
});

describe("what if", () => {
  const draws = {
    two: (next) => [next() < 0.1 ? "" : String(Math.floor(next() * 90)), pick(next, ["basic", "plus", "gold", "team", "other"]), (next() * 9000).toFixed(1), pick(next, ["Paris", "Brest", "Nice", "Rome"]), "0.5"],
    many: (next) => [(next() * 30).toFixed(2), (next() * 30).toFixed(2), String(Math.floor(next() * 26)), pick(next, ["round", "straight", "mixed", "new"])],
    one: (next) => [(next() * 12 - 1).toFixed(3)],
    together: (next) => [next() < 0.2 ? "" : next().toFixed(3), next().toFixed(3), Math.floor(next() * 40), `shop ${Math.floor(next() * 1600)}`, pick(next, ["N", "S", "E", "W", "?"]), pick(next, ["s", "m", "l", ""])],
  };
  const pick = (next, values) => values[Math.floor(next() * values.length)];

  for (const [name, draw] of Object.entries(draws)) {
    test(`200 rows of ${name} get the probabilities of the program`, async () => {
      const { page, close } = await open(name);
      const head = readFileSync(`${folder}${name}.tsv`, "utf8").split("\n")[0].split("\t").slice(0, -1);
      const next = random(99);
      const rows = Array.from({ length: 200 }, () => draw(next));
      const expected = predict(model(name).model, [head.join("\t"), ...rows.map((row) => row.join("\t"))]);
      const found = await page.evaluate(
        ([head, rows]) => rows.map((row) => fnb.predict(fnb.inputs.map((input) => row[head.indexOf(input)] || null))),
        [head, rows],
      );
      expected.forEach((line, i) => line.forEach((p, j) => assert.ok(Math.abs(p - found[i][j]) <= 1e-9, `${rows[i]}: ${p}, ${found[i][j]}`)));
      await close();
    });
  }

  test("the form computes what is chosen in it, and keeps it in the address", async () => {
    const { page, close } = await open("two");
    const big = () => page.locator(".answer .big").innerText();
    const nothing = await big();
    assert.match(await page.locator(".answer p").innerText(), /Nearest change of answer: .+ gives .+%\./);
    await page.locator("[data-row=i0] input").fill("22");
    await page.locator("select[aria-label=plan]").selectOption({ label: "basic" });
    const [row] = predict(model("two").model, ["age\tplan\tincome\tcity\tnoise", "22\tbasic\t500\tBrest\t0.1"]);
    await page.locator("input[aria-label^=income]").fill("500");
    await page.locator("select[aria-label=city]").selectOption({ label: "Brest" });
    assert.notEqual(await big(), nothing);
    assert.equal((await big()).replace(/\s/g, ""), `${(100 * row[1]).toFixed(1)}%`);
    const shown = await big();
    await page.locator("[data-link]").click();
    const address = page.url();
    assert.match(address, /#what-if=/);
    await page.goto("about:blank");
    await page.goto(address);
    assert.equal(await big(), shown);
    await page.locator("[data-nothing]").click();
    assert.equal(await big(), nothing);
    await page.locator("[data-typical='1']").click();
    assert.notEqual(await big(), nothing);
    await page.context().close();
  });
});

describe("tables and search", () => {
  test("a head sorts, and sorts the other way round", async () => {
    const { page, close } = await open("two");
    const levels = () => page.locator("#t-data tbody tr").evaluateAll((rows) => rows.map((row) => Number.parseFloat(row.cells[6].textContent)));
    const head = page.getByRole("button", { name: "Level" }).first();
    await head.click();
    const down = await levels();
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    assert.equal(await page.locator("#t-data th[aria-sort]").getAttribute("aria-sort"), "descending");
    await head.click();
    const up = await levels();
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    await close();
  });

  test("a value is found with the keyboard alone", async () => {
    const { page, close } = await open("two");
    await page.keyboard.press("/");
    await page.keyboard.type("brest");
    await page.keyboard.press("Enter");
    assert.match(page.url(), /#v-city$/);
    await page.keyboard.press("/");
    await page.keyboard.type("auc");
    assert.ok((await page.locator("#found li").count()) >= 1);
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#found").isHidden());
    await close();
  });

  test("keys walk over variables and sections, and can be switched off", async () => {
    const { page, close } = await open("two");
    const focused = () => page.evaluate(() => document.activeElement.id);
    await page.locator("main").focus();
    await page.keyboard.press("j");
    assert.match(await focused(), /^v-/);
    const first = await focused();
    await page.keyboard.press("j");
    assert.notEqual(await focused(), first);
    await page.keyboard.press("k");
    assert.equal(await focused(), first);
    await page.keyboard.press("n");
    const section = await focused();
    assert.match(section, /^s-/);
    await page.keyboard.press("p");
    assert.notEqual(await focused(), section);
    await page.keyboard.press("t");
    assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
    await page.keyboard.press("?");
    await page.locator("#keys").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
    await close();
  });

  test("a sorted table is sorted whole", async () => {
    const { page, close } = await open("wide");
    await page.locator("#t-data").getByRole("button", { name: "Column" }).click();
    const first = await page.locator("#t-data tbody th").evaluateAll((cells) => cells.slice(0, 3).map((cell) => cell.textContent));
    assert.deepEqual(first, ["v0", "v1", "v2"]);
    assert.equal(await page.locator("[data-all=data]").count(), 0);
    await close();
  });

  test("2,000 columns: filtered, drawn when opened, small enough", async () => {
    const { page, close } = await open("wide");
    assert.ok(statSync(model("wide").html).size < 1_500_000);
    const filter = page.locator("[data-filter=data]");
    await filter.fill("v1999");
    assert.equal(await page.locator("#t-data tbody tr:visible").count(), 1);
    await filter.fill("");
    assert.equal(await page.locator("#t-data tbody tr:visible").count(), 2000);
    const { values } = JSON.parse(readFileSync(model("wide").model, "utf8"));
    const drawn = values.filter((facts) => facts.distribution).length;
    assert.ok(drawn > 100);
    assert.equal(await page.locator("#t-data .spark path").count(), drawn);
    const later = page.locator("details[data-later]").first();
    if (await later.count()) {
      await later.locator("summary").click();
      assert.ok((await later.locator("tbody tr").count()) >= 2);
    }
    const all = page.locator("[data-all=left-out]");
    if (await all.count()) {
      await all.click();
      assert.ok((await page.locator("#t-left-out tbody tr").count()) > 40);
    }
    await close();
  });
});

describe("several models", () => {
  test("stand side by side, accessible", async () => {
    const { page, close } = await open("compared");
    assert.equal(await page.locator("#t-figures tbody tr").count(), 2);
    assert.ok((await page.locator("#t-compared tbody i").count()) >= 8);
    await page.getByRole("button", { name: "AUC" }).click();
    assert.equal(await page.locator("#t-figures th[aria-sort]").count(), 1);
    await close();
    await accessible("compared");
  });
});

describe("what must not happen", () => {
  test("hostile names are text", async () => {
    const { page, close } = await open("hostile");
    const text = await page.locator("#t-data").innerText();
    for (const name of HOSTILE.filter((name) => name.length < 48)) assert.ok(text.includes(name), name);
    assert.equal(await page.locator("main img, main u:not(td.r u), [onerror], [onmouseover], [onfocus]").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    await page.keyboard.press("/");
    await page.keyboard.type("script");
    assert.equal(await page.locator("#found img, #found script").count(), 0);
    await page.locator("[data-typical='0']").click();
    assert.equal(await page.locator(".answer img, .answer script").count(), 0);
    await close();
  });

  test("no row of the training data is in the page", async () => {
    const html = readFileSync(model("dates").html, "utf8");
    assert.ok(!html.includes("row 17"));
    assert.ok(!readFileSync(model("two").html, "utf8").includes("\t"));
  });

  test("200 % zoom and forced colours keep everything in reach", async () => {
    for (const options of [{ viewport: { width: 720, height: 500 } }, { forcedColors: "active" }]) {
      const { page, close } = await open("two", options);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      assert.ok(await page.locator("#v-age td.v i").first().isVisible());
      await close();
    }
  });

  test("print shows what is folded, in light colours, without controls", async () => {
    const { page, close } = await open("wide", { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.equal(await page.locator(".top:visible, .side:visible, button:not(th button):visible").count(), 0);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator("details:not([open])").count(), 0);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok((await page.locator("details:not([open])").count()) > 0);
    await close();
  });
});
