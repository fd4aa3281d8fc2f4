// The models of the browser tests: small tables made here, learnt by the program.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));
const program = process.env.FNB_PROGRAM ?? `${root}target/debug/fnb`;
export const folder = process.env.FNB_REPORT_FOLDER ?? `${root}target/report-tests/`;

/** Numbers from 0 to 1 that are the same every time. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const HOSTILE = [
  `</script><img src=x onerror=alert(1)>`,
  `" onmouseover="alert(2)`,
  `it's <b>bold</b> & more`,
  `a very long name of a column that says all there is to say about what is in it`,
  `Näme 年齢 👩‍🔬`,
  `same-slug`,
  `Same slug`,
  `same slug!`,
];

const tables = {
  two(next) {
    const lines = ["age\tplan\tincome\tcity\tnoise\tleaves"];
    for (let i = 0; i < 3000; i++) {
      const age = 18 + Math.floor(next() * 60);
      const plan = ["basic", "plus", "gold", "team"][Math.floor(next() * 4)];
      const income = Math.round(next() ** 2 * 90000) / 10;
      const city = ["Paris", "Lyon", "Brest", "Nice", "Metz", "Dijon", "Tours"][Math.floor(next() * 7)];
      let odds = -1 + (age < 35 ? 1.2 : -0.6) + (plan === "basic" ? 1.1 : -0.4) + (income < 1500 ? 0.9 : -0.3);
      if (city === "Brest" || city === "Nice") odds += 0.8;
      const leaves = next() < 1 / (1 + Math.exp(-odds)) ? "yes" : "no";
      lines.push([next() < 0.05 ? "" : age, plan, income, city, next().toFixed(3), leaves].join("\t"));
    }
    return lines;
  },
  many(next) {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const lines = ["x\ty\tz\tkind\tletter"];
    for (let i = 0; i < 5200; i++) {
      const class_ = Math.floor(next() * 26);
      const near = (spread) => (next() + next() + next() - 1.5) * spread;
      const kind = next() < 0.7 ? ["round", "straight", "mixed"][class_ % 3] : "round";
      lines.push(
        [(class_ + near(5)).toFixed(2), ((class_ * 7) % 26 + near(6)).toFixed(2), Math.round((class_ * 11) % 26 + near(4)), kind, letters[class_]].join("\t"),
      );
    }
    return lines;
  },
  one(next) {
    const lines = ["x\ty"];
    for (let i = 0; i < 600; i++) {
      const x = next() * 10;
      lines.push(`${x.toFixed(3)}\t${x + next() * 3 > 6 ? "high" : "low"}`);
    }
    return lines;
  },
  zero(next) {
    const lines = ["a\tb\ty"];
    for (let i = 0; i < 400; i++) lines.push(`${next().toFixed(3)}\t${next() < 0.5 ? "u" : "v"}\t${next() < 0.4 ? "yes" : "no"}`);
    return lines;
  },
  wide(next) {
    const columns = 2000;
    const lines = [[...Array(columns).keys()].map((i) => `v${i}`).concat("y").join("\t")];
    for (let row = 0; row < 900; row++) {
      const yes = next() < 0.5;
      const values = [];
      for (let i = 0; i < columns; i++) values.push((next() + (yes ? 0.42 : 0)).toFixed(2));
      lines.push([...values, yes ? "yes" : "no"].join("\t"));
    }
    return lines;
  },
  hostile(next) {
    const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
    const lines = [[...HOSTILE.map(quoted), quoted(`<u>class</u> of "it"`)].join("\t")];
    const values = [`</script><script>alert(3)</script>`, `" onfocus="alert(4)`, `a'b`, `<img src=x onerror=alert(5)>`];
    for (let i = 0; i < 1500; i++) {
      const yes = next() < 0.45;
      const cells = HOSTILE.map((_, k) =>
        k % 2 ? (next() + (yes ? 0.3 : 0)).toFixed(3) : quoted(values[Math.floor(Math.min(0.999, next() + (yes ? 0.25 : 0)) * 4)]),
      );
      lines.push([...cells, quoted(yes ? `<script>alert(6)</script>` : `no & "never"`)].join("\t"));
    }
    return lines;
  },
  // A smooth table, with missing values, one over three variables, one of many values, and a curve.
  together(next) {
    const lines = ["u\tv\tw\tshop\tregion\tsize\ty"];
    for (let i = 0; i < 24_000; i++) {
      const [u, v, w] = [next(), next(), Math.floor(next() * 40)];
      const [shop, region, size] = [Math.floor(next() ** 1.3 * 1500), Math.floor(next() * 4), Math.floor(next() * 3)];
      const good = shop % 3 === 0;
      let odds = 24 * (u - 0.5) * (v - 0.5) + (good ? 1.5 : -1) + (good === region < 2 ? 1.2 : -1.2) + 0.7 * Math.sin(w / 6);
      if (size === 1 && region % 2 === 1) odds += w > 20 ? 1.5 : -1.5;
      lines.push([next() < 0.05 ? "" : u.toFixed(3), v.toFixed(3), w, `shop ${shop}`, "NSEW"[region], "sml"[size], next() < 1 / (1 + Math.exp(-odds)) ? "yes" : "no"].join("\t"));
    }
    return lines;
  },
  dates(next) {
    const lines = ["when\tnote\ty"];
    const words = ["good", "late", "broken", "thanks", "fine", "refund", "again", "slow"];
    for (let i = 0; i < 1500; i++) {
      const day = Math.floor(next() * 730);
      const date = new Date(Date.UTC(2022, 0, 1 + day)).toISOString().slice(0, 10);
      const sunday = new Date(date).getUTCDay() === 0;
      const text = Array.from({ length: 8 }, () => words[Math.floor(next() * words.length)]).join(" ");
      const bad = text.includes("broken") || text.includes("refund");
      const odds = -0.5 + (sunday ? 2 : 0) + (bad ? 1.5 : -1) + (day > 400 ? 1 : 0);
      lines.push(`${date}\t${text} and some more words that make it long, row ${i}\t${next() < 1 / (1 + Math.exp(-odds)) ? "complains" : "content"}`);
    }
    return lines;
  },
};

const options = {
  two: ["--target", "leaves", "--holdout", "0.3"],
  many: ["--target", "letter", "--holdout", "0.3"],
  one: ["--target", "y", "--holdout", "0.3"],
  zero: ["--target", "y"],
  together: ["--target", "y", "--holdout", "0.2"],
  wide: ["--target", "y", "--holdout", "0.3"],
  hostile: ["--target", `<u>class</u> of "it"`, "--holdout", "0.3"],
  dates: ["--target", "y", "--holdout", "0.3", "--type", "note=text"],
};

function train(name, arguments_) {
  const model = `${folder}${name}.fnb`;
  execFileSync(program, ["train", ...arguments_, "-o", model, "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
  return model;
}

function table(name) {
  const file = `${folder}${name}.tsv`;
  writeFileSync(file, tables[name](random(name.length * 7919)).join("\n") + "\n");
  return file;
}

const golden = `${root}tests/golden/`;
const learn = {
  ...Object.fromEntries(Object.keys(tables).map((name) => [name, () => train(name, [table(name), ...options[name]])])),
  pairs: () => train("pairs", [table("two"), "--target", "leaves", "--holdout", "0.3", "--preset", "khiops", "--pairs", "5", "--trees", "3"]),
  sparse: () => train("sparse", [`${golden}sparse/sparse200.tsv`, "--target", "class"]),
  tables: shop,
};

/** Customers who leave when their orders are few: three tables. */
function shop() {
  const next = random(4711);
  const [customers, orders, items] = [["id\tage\tsegment\ty"], ["id\torder\tday\tamount"], ["id\torder\titem\tprice"]];
  for (let i = 0; i < 700; i++) {
    const number = Math.floor(next() * 6);
    let spent = 0;
    for (let k = 0; k < number; k++) {
      const amount = Math.round(next() * 1000) / 10;
      spent += amount;
      const day = new Date(Date.UTC(2024, 0, 1 + Math.floor(next() * 300))).toISOString().slice(0, 10);
      orders.push(`c${i}\to${k}\t${day}\t${amount}`);
      for (let j = 0; j < 2; j++) items.push(`c${i}\to${k}\ti${j}\t${(next() * 50).toFixed(1)}`);
    }
    const yes = next() < 1 / (1 + Math.exp(spent / 40 - 2));
    customers.push(`c${i}\t${20 + Math.floor(next() * 50)}\t${"abc"[Math.floor(next() * 3)]}\t${yes ? "leaves" : "stays"}`);
  }
  const files = { customers, orders, items };
  for (const [name, lines] of Object.entries(files)) writeFileSync(`${folder}${name}.tsv`, lines.join("\n") + "\n");
  return train("tables", [
    `${folder}customers.tsv`, "--target", "y", "--holdout", "0.3", "--features", "60",
    "--table", `Orders=${folder}orders.tsv:id`, "--table", `Orders.Items=${folder}items.tsv:id,order`,
  ]);
}

export const names = Object.keys(learn);

/** Learns a model and writes its page; gives both files. */
export function make(name) {
  mkdirSync(folder, { recursive: true });
  const model = `${folder}${name}.fnb`;
  if (!existsSync(model) || !process.env.FNB_KEEP_MODELS) learn[name]();
  const html = `${folder}${name}.html`;
  execFileSync(program, ["report", model, "-o", html, "--quiet"]);
  return { model, html };
}

/** The page of two models side by side. */
export function compare(one, other) {
  const html = `${folder}compared.html`;
  execFileSync(program, ["report", make(one).model, make(other).model, "-o", html, "--quiet"]);
  return html;
}

/** The probabilities that the program gives to rows of a table, in class order. */
export function predict(model, lines) {
  const [input, output] = [`${folder}rows.tsv`, `${folder}predictions.tsv`];
  writeFileSync(input, lines.join("\n") + "\n");
  execFileSync(program, ["predict", model, input, "--proba", "-o", output, "--quiet"]);
  const [head, ...rows] = readFileSync(output, "utf8").trimEnd().split("\n");
  const classes = head.split("\t").length;
  return rows.map((row) => row.split("\t").slice(1, classes).map(Number));
}
