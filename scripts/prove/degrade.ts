import { closePool } from "@/db/client";
import { clocks } from "./parts/degrade/clocks";
import { connections } from "./parts/degrade/connections";
import { fullDisk } from "./parts/degrade/disk";
import { names } from "./parts/degrade/names";
import { gatewayOutage } from "./parts/degrade/outage";
import { requireMachine } from "./parts/machine";
import { enclosed } from "./parts/partition/enclosure";
import { openLoopback } from "./parts/partition/network";
import { prove } from "./parts/proof";

// What surrounds Kutip fails: its disk is full, Postgres has no connection left, clocks step, names cannot be looked up, the gateway is away. It refuses what it cannot do, does what it can, and
// recovers without help; the books equal the gateway's. Each part also shows that its fault is real.
const LIMIT_SECONDS = 60 * 60;
const PARTS = { disk: fullDisk, connections, clocks, names, outage: gatewayOutage };

requireMachine(
  [
    { program: "mount", package: "mount" },
    { program: "unshare", package: "util-linux" },
    { program: "ip", package: "iproute2" },
    { program: "faketime", package: "faketime" },
  ],
  { root: true },
);
const folder = await enclosed("degrade");
const cleaners: (() => unknown)[] = [];

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  openLoopback();
  // Every database of the drill is in its folder, which is removed whatever happens.
  process.env.TMPDIR = folder;
  const only = process.argv
    .find((word) => word.startsWith("--only="))
    ?.slice(7)
    .split(",");
  const unknown = only?.filter((name) => !Object.hasOwn(PARTS, name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`no part ${unknown.join(", ")}; there are: ${Object.keys(PARTS).join(", ")}`);
  for (const [name, part] of Object.entries(PARTS)) {
    if (only && !only.includes(name)) continue;
    console.log(`  ${name}`);
    await part(folder, (clean) => cleaners.push(clean));
    await cleanUp();
  }
}

async function cleanUp(): Promise<void> {
  await closePool().catch(() => undefined);
  for (const clean of cleaners.splice(0).reverse()) await clean();
}
