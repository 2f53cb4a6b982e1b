import { costlyWork } from "./parts/doors/costly";
import { lostNetwork } from "./parts/doors/network";
import { recovery } from "./parts/doors/recovery";
import { sockets } from "./parts/doors/sockets";
import { prove } from "./parts/proof";
import { startService } from "./parts/service";

// Strangers, one greedy business, a lost network and dead processes against a running install with its ordinary limits.
const LIMIT_SECONDS = 20 * 60;

const parts = { sockets, lostNetwork, recovery, costlyWork };
const chosen = process.env.PROVE_DOORS?.split(",") ?? Object.keys(parts);
for (const name of chosen)
  if (!Object.hasOwn(parts, name)) throw new Error(`PROVE_DOORS names no part ${name}`);

const service = await startService({});
service.join();

await prove(
  async () => {
    for (const [name, part] of Object.entries(parts))
      if (chosen.includes(name)) await part(service);
  },
  () => service.stop(),
  LIMIT_SECONDS,
);
