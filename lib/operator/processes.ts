import os from "node:os";
import { Refusal } from "@/db/embedded/refusal";
import { type LiveProcess, liveProcesses } from "@/db/processes";
import { sqlStateOf, UNDEFINED_TABLE } from "@/db/sql-state";

/** A process in words for the operator. */
export const describeProcess = ({ kind, pid, host, seconds }: LiveProcess): string =>
  `${kind} process ${pid} on ${host}, seen ${seconds} s ago`;

/** Throws a Refusal while other processes of this install live. `why` says what they would do. */
export async function refuseBesideOthers(why: string): Promise<void> {
  const others = (await processesOf()).filter(
    ({ pid, host }) => pid !== process.pid || host !== os.hostname(),
  );
  if (others.length > 0)
    throw new Refusal(
      [
        `other processes of this install run, and ${why}. Stop them, wait 20 s, then run this command again`,
        ...others.map(describeProcess),
      ].join("\n"),
    );
}

/** None in a database without the table. */
const processesOf = (): Promise<LiveProcess[]> =>
  liveProcesses().catch((error: unknown) => {
    if (sqlStateOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
