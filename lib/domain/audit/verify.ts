import { hashOf } from "./record";
import { chainKey } from "./key";
import { entriesAfter, findSealedKey, type HeadRow, unscopedHeadless, unscopedHeads } from "./rows";

/** What was found out about a business's chain: `fault` says where it breaks, null when it holds. */
export type Verdict = { businessId: number; entries: number; fault: string | null };

const step = 1_000;

/** Walks every business's audit log from its first entry. */
export async function verifyAudit(): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const key = chainKey(await findSealedKey());
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
  for (;;) {
    const rows = await entriesAfter(businessId, seq, step);
    for (const row of rows) {
      if (row.seq !== seq + 1)
        return { businessId, entries: seq, fault: `entry ${seq + 1} is gone` };
      if (row.hash !== hashOf(row, hash, key))
        return {
          businessId,
          entries: seq,
          fault: `entry ${row.seq} (${row.id}, ${row.createdAt}) was changed`,
        };
      seq = row.seq;
      hash = row.hash;
    }
    if (rows.length < step) break;
  }
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
