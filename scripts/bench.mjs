// `npm run bench`: the whole table of docs/measurements.md, on two quiet cores in about half an hour. `--write` puts it there.
// `npm run bench -- PART…`: some parts of it: requests, size, background, footprint, console.
// `npm run bench -- against REF`: against another commit of this repository.
// `npm run bench -- capacity [--OPTION=N]`: what each kind of work takes, and what so many links a day need.
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { againstCommit } from "./bench/against-commit.mjs";
import { requests } from "./bench/against-reference.mjs";
import { background } from "./bench/background.mjs";
import { capacity } from "./bench/capacity.mjs";
import { ofConsole } from "./bench/console.mjs";
import { footprint } from "./bench/footprint.mjs";
import { bySize } from "./bench/size.mjs";
import { tableOf } from "./bench/table.mjs";
import { root } from "./stamp.mjs";

const PARTS = {
  requests: ["Requests", requests],
  size: [
    "A business with 1,000 links against one with 1,000,000",
    () => bySize(Number(process.env.BENCH_LINKS ?? 1_000_000)),
  ],
  background: ["Background work", background],
  footprint: ["Start, memory and size", footprint],
  console: ["The dashboard on a slow phone", ofConsole],
};

const write = process.argv.includes("--write");
const words = process.argv.slice(2).filter((word) => word !== "--write");
const [first, ref] = words;
if (first === "against" && ref) process.exitCode = (await againstCommit(ref)) ? 0 : 1;
else if (first === "capacity") process.exitCode = (await capacity(words.slice(1))) ? 0 : 1;
else if (words.every((word) => Object.hasOwn(PARTS, word)))
  process.exitCode = (await table(words.length > 0 ? words : Object.keys(PARTS))) ? 0 : 1;
else {
  console.error(`bench: ${Object.keys(PARTS).join(", ")}, or against REF, or capacity`);
  process.exitCode = 2;
}

/** Prints the table of these parts; whether all its goals were met. */
async function table(names) {
  const parts = [];
  for (const name of names) {
    const [title, measure] = PARTS[name];
    const began = os.loadavg()[0];
    const lines = await measure();
    const text = `### ${title}\n\n${machine(began)}\n\n${tableOf(lines)}\n`;
    console.log(`\n${text}`);
    parts.push({ name, lines, text });
  }
  if (write) for (const { name, text } of parts) keep(name, text);
  const lines = parts.flatMap((part) => part.lines);
  console.log(`${lines.filter(({ met }) => met).length} of ${lines.length} goals met`);
  return lines.every(({ met }) => met);
}

function machine(load) {
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${os.cpus().length} cores (${os.cpus()[0].model.trim()}), load average ${load.toFixed(1)} before it.`;
}

/** Replaces a part in docs/measurements.md, between its two marks. */
function keep(name, text) {
  const file = path.join(root, "docs/measurements.md");
  const marks = [`<!-- bench ${name} -->`, `<!-- end of bench ${name} -->`];
  const [before, rest] = readFileSync(file, "utf8").split(marks[0]);
  const after = rest?.split(marks[1])[1];
  if (after === undefined) throw new Error(`docs/measurements.md has no ${marks.join(" … ")}`);
  writeFileSync(file, `${before}${marks[0]}\n${text}${marks[1]}${after}`);
}
