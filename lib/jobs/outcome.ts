import { setTimeout as pause } from "node:timers/promises";
import { ClaimLost } from "./claim-rows";

const TRIES = 5;
const PAUSE_MS = 1_000;

/**
 * Writes the outcome of a call to the outside, which would be repeated without it. While the database is away or a row is locked it tries for
 * some seconds. The answer to a commit may be lost, so a second `write` of the same outcome must change nothing.
 */
export async function writeOutcome<T>(write: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await write();
    } catch (error) {
      if (error instanceof ClaimLost || ++failures === TRIES) throw error;
      await pause(PAUSE_MS);
    }
  }
}
