import { db } from "@/db/client";
import { hashOf } from "./record";
import { chainKey } from "./key";
import {
  type AuditRow,
  entriesAfter,
  findSealedKey,
  type HeadRow,
  unscopedHeadless,
  unscopedHeads,
} from "./rows";

/** The actions that redact older entries: by the operator's command and by staff. */
const erasures = new Set(["payer:erase", "erasePayer"]);

/** What was found out about a business's chain: `fault` says where it breaks, null when it holds. */
export type Verdict = { businessId: number; entries: number; fault: string | null };

const step = 1_000;

/** The entries that an erasure redacted, as its own entry names them. */
function redactedIn({ action, details }: AuditRow): number[] {
  if (!erasures.has(action)) return [];
  const { redacted } = JSON.parse(details) as { redacted?: unknown };
  return Array.isArray(redacted) ? redacted.filter((seq) => typeof seq === "number") : [];
}

/** Walks every business's audit log from its first entry. */
export async function verifyAudit(): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const key = chainKey(await findSealedKey(db));
  for (const head of await unscopedHeads()) verdicts.push(await verifyChain(head, key));
  for (const businessId of await unscopedHeadless())
    verdicts.push({ businessId, entries: 0, fault: "the note of its newest entry is gone" });
  return verdicts;
}

async function verifyChain(
  { businessId, seq: last, hash: lastHash }: HeadRow,
  key: Buffer,
): Promise<Verdict> {
  let seq = 0;
  let hash = "";
  // Redacted entries, until the entry of their erasure is found to name them.
  const unproven = new Map<number, number>();
  for (;;) {
    const rows = await entriesAfter(businessId, seq, step);
    for (const row of rows) {
      if (row.seq !== seq + 1)
        return { businessId, entries: seq, fault: `entry ${seq + 1} is gone` };
      if (row.redactedBy !== null) unproven.set(row.seq, row.redactedBy);
      else if (row.hash !== hashOf(row, hash, key))
        return {
          businessId,
          entries: seq,
          fault: `entry ${row.seq} (${row.id}, ${row.createdAt}) was changed`,
        };
      // Its own hash was checked above, so what it names was redacted by it.
      if (row.redactedBy === null)
        for (const one of redactedIn(row)) if (unproven.get(one) === row.seq) unproven.delete(one);
      seq = row.seq;
      hash = row.hash;
    }
    if (rows.length < step) break;
  }
  const [stray] = unproven.keys();
  if (stray !== undefined)
    return {
      businessId,
      entries: seq,
      fault: `entry ${stray} was redacted, and no erasure says so`,
    };
  // An entry written while this ran is beyond the end that was read first.
  if (seq < last)
    return {
      businessId,
      entries: seq,
      fault: `the newest entries, ${seq + 1} to ${last}, are gone`,
    };
  if (seq === last && hash !== lastHash)
    return { businessId, entries: seq, fault: "the note of its newest entry was changed" };
  return { businessId, entries: seq, fault: null };
}
