import { clocks } from "./parts/degrade/clocks";
import { connections } from "./parts/degrade/connections";
import { fullDisk } from "./parts/degrade/disk";
import { names } from "./parts/degrade/names";
import { gatewayOutage } from "./parts/degrade/outage";
import { inParts } from "./parts/drill-parts";
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
const drill = inParts(PARTS);

await prove(work, drill.end, LIMIT_SECONDS);

async function work(): Promise<void> {
  openLoopback();
  // Every database of the drill is in its folder, which is removed whatever happens.
  process.env.TMPDIR = folder;
  await drill.run(folder);
}
