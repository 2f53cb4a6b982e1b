// `npm run bench`: against a reference and a floor. `npm run bench -- against REF`: against another commit of this repository.
// `npm run bench -- renewals [COUNT]`: how many subscriptions four workers renew in a second.
// `npm run bench -- size [LINKS]`: a business with 1,000 links against one with LINKS, 1,000,000 unless said otherwise.
// `npm run bench -- capacity [--OPTION=N]`: what each kind of work takes, and what so many links a day need.
// `npm run bench -- console`: the dashboard on a slow phone.
import { againstCommit } from "./bench/against-commit.mjs";
import { againstReference } from "./bench/against-reference.mjs";
import { capacity } from "./bench/capacity.mjs";
import { ofConsole } from "./bench/console.mjs";
import { renewals } from "./bench/renewals.mjs";
import { bySize } from "./bench/size.mjs";

const [first, ref] = process.argv.slice(2);
if (first === "against" && ref) process.exitCode = (await againstCommit(ref)) ? 0 : 1;
else if (first === "renewals") process.exitCode = (await renewals(Number(ref ?? 6_000))) ? 0 : 1;
else if (first === "size") process.exitCode = (await bySize(Number(ref ?? 1_000_000))) ? 0 : 1;
else if (first === "capacity") process.exitCode = (await capacity(process.argv.slice(3))) ? 0 : 1;
else if (first === "console") process.exitCode = (await ofConsole()) ? 0 : 1;
else if (first === undefined || Number(first) > 0) await againstReference(Number(first ?? 4));
else {
  console.error(
    "bench: SECONDS, or against REF, or renewals COUNT, or size LINKS, or capacity, or console",
  );
  process.exitCode = 2;
}
