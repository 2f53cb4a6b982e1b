import { parseArgs } from "node:util";
import { distribute } from "@/db/distribute";
import { Refusal } from "@/db/embedded/refusal";
import { refuseLaterSchema } from "@/db/migrate";
import { refuseBesideOthers } from "./processes";
import { note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

const DEFAULT_SHARDS = 32;
const MAX_SHARDS = 1_024;

/** Spreads the install over the servers of a Citus cluster, by business. */
export async function citusDistribute(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { shards: { type: "string" } } });
  const shards = Number(values.shards ?? DEFAULT_SHARDS);
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS)
    throw new UsageError(`--shards takes a whole number from 1 to ${MAX_SHARDS}`);
  await withInstall(async ({ embedded }) => {
    if (embedded)
      throw new Refusal(
        "this install has an embedded database: export it, and import it into the database of a Citus coordinator that DATABASE_URL names",
      );
    await refuseLaterSchema();
    await refuseBesideOthers("would go on with statements for one server");
    const tables = await distribute(shards, { onStep: (table) => note(table) });
    print(`Distributed: ${tables.length} tables over ${shards} shards.`);
  });
}
