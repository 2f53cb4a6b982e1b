// `npm run bench`: against a reference and a floor. `npm run bench -- against REF`: against another commit of this repository.
import { againstCommit } from "./bench/against-commit.mjs";
import { againstReference } from "./bench/against-reference.mjs";

const [first, ref] = process.argv.slice(2);
if (first === "against" && ref) process.exitCode = (await againstCommit(ref)) ? 0 : 1;
else if (first === undefined || Number(first) > 0) await againstReference(Number(first ?? 4));
else {
  console.error("bench: SECONDS, or against REF");
  process.exitCode = 2;
}
