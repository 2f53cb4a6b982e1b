import os from "node:os";
import { isDistributed } from "@/db/distributed";
import { Refusal } from "@/db/embedded/refusal";
import { connectedProcesses, type LiveProcess, liveProcesses } from "@/db/processes";
import { sqlStateOf, UNDEFINED_TABLE } from "@/db/sql-state";

/** A process in words for the operator. */
export const describeProcess = ({ kind, pid, host, seconds }: LiveProcess): string =>
  `${kind} process ${pid} on ${host}, seen ${seconds} s ago`;

/** Throws a Refusal while other processes of this install live. `why` says what they would do. */
export async function refuseBesideOthers(why: string): Promise<void> {
  const others = await otherProcesses();
  if (others.length > 0)
    throw new Refusal(
      [
        `other processes of this install run, and ${why}. Stop them, wait 20 s, then run this command again`,
        ...others,
      ].join("\n"),
    );
}

/** Throws a Refusal where a copy would be of several servers, each at a moment of its own. */
export async function refuseOfSeveralServers(): Promise<void> {
  if (await isDistributed())
    throw new Refusal(
      "this install is spread over several servers, and no copy of all would be of one moment: back up each server (docs/operations/citus.md)",
    );
}

async function otherProcesses(): Promise<string[]> {
  try {
    return (await liveProcesses())
      .filter(({ pid, host }) => pid !== process.pid || host !== os.hostname())
      .map(describeProcess);
  } catch (error) {
    // An empty database: processes that were not stopped have come back to it, and find no table to register in.
    if (sqlStateOf(error) === UNDEFINED_TABLE) return connectedProcesses();
    throw error;
  }
}
