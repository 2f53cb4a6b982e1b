import { parseArgs } from "node:util";
import { measureCosts } from "./capacity/measure";
import { type Cost, endOfOnePrimary, loadOf, usual, works } from "./capacity/model";

// `capacity.ts` measures what each kind of work takes here, prints it, and what so many links a day would take by it. Every assumption is an
// option: `--peak=20`, `--pay=0.9`, `--databaseCores=32`.

const { perLink, ...machines } = usual;
const names = [...Object.keys(perLink), ...Object.keys(machines)];
const { values } = parseArgs({
  options: Object.fromEntries(
    [...names, "links"].map((name) => [name, { type: "string" as const }]),
  ),
});
const chosen = <T extends Record<string, number>>(defaults: T): T =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => {
      const given = Number(values[name] ?? value);
      if (!Number.isFinite(given) || given < 0) throw new Error(`--${name} must be a number`);
      return [name, given];
    }),
  ) as T;
const given = { ...chosen(machines), perLink: chosen(perLink) };
const volumes = String(values.links ?? "10000,1000000,100000000")
  .split(",")
  .map(Number);

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`| ${head.join(" | ")} |`);
  console.log(`|${head.map(() => "---").join("|")}|`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  console.log();
}
const short = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(2);

const costs = await measureCosts();
const cells = ({ webMs, workerMs, databaseMs, walBytes, transactions, rows, diskBytes }: Cost) =>
  [webMs, workerMs, databaseMs, walBytes, transactions, rows, diskBytes].map(short);
console.log(
  "What one takes, measured on this machine. `pay` and `renew` include the simulator's own rows.\n",
);
table(
  ["", "web ms", "worker ms", "Postgres ms", "WAL bytes", "transactions", "rows", "disk bytes"],
  works.map((work) => [work, ...cells(costs[work])]),
);
console.log(`Assumed: ${JSON.stringify(given)}\n`);
console.log(
  "In the busiest second: links a second = links a day / 86,400 × peak; cores = Σ uses × ms / 1,000 / busy.\n",
);
table(
  [
    "links a day",
    "a second",
    "web cores",
    "worker cores",
    "Postgres cores",
    "WAL MB/s",
    "transactions/s",
    "disk GB a day",
    "web and worker machines",
  ],
  volumes.map((volume) => {
    const load = loadOf(volume, costs, given);
    return [
      volume.toLocaleString("en"),
      ...[
        load.linksPerSecond,
        load.webCores,
        load.workerCores,
        load.databaseCores,
        load.walMbPerSecond,
        load.transactionsPerSecond,
        load.diskGbADay,
      ].map(short),
      String(load.webMachines),
    ];
  }),
);
const end = endOfOnePrimary(costs, given);
console.log(`One primary ends at ${end.linksADay.toLocaleString("en")} links a day, by ${end.by}.`);
process.exit(0);
