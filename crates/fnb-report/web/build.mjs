// Bundles the script of the report into one file, and writes its hash for the content security policy.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const MOST_BYTES = 40_000;
const output = "dist/report.js";

await build({
  entryPoints: ["src/main.ts"],
  outfile: output,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
});
const script = readFileSync(output);
if (script.length > MOST_BYTES) {
  throw new Error(`${output} has ${script.length} bytes, more than ${MOST_BYTES}`);
}
if (script.includes("</script")) {
  throw new Error(`${output} would end the element that it is in`);
}
const hash = createHash("sha256").update(script).digest("base64");
writeFileSync("dist/report.sha256", `sha256-${hash}\n`);
console.log(`${output}: ${script.length} bytes`);
