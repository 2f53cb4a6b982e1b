import { db } from "@/db/client";
import { hashOf, redactedHashOf, sealedSeq, sealOf } from "./hash";
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

/**
 * What was found out about a business's chain: `fault` says where it breaks, null when it holds. `newest` is the hash of the newest
 * entry. `isSealed`: that entry has a seal, so that it cannot be taken away without the key.
 */
export type Verdict = {
  businessId: number;
  entries: number;
  newest: string;
  isSealed: boolean;
  fault: string | null;
};

const step = 1_000;

/** The entries that an erasure redacted, as its own entry names them, with their hashes since; null for an erasure that noted none. */
function redactedIn({ action, details }: AuditRow): Array<{ seq: number; hash: string | null }> {
  if (!erasures.has(action)) return [];
  const { redacted, redacted_hashes: hashes } = JSON.parse(details) as {
    redacted?: unknown;
    redacted_hashes?: unknown;
  };
  if (!Array.isArray(redacted)) return [];
  return redacted.map((seq, index) => ({
    seq: Number(seq),
    hash: Array.isArray(hashes) ? String(hashes[index]) : null,
  }));
}

/** Walks every business's audit log from its first entry. */
export async function verifyAudit(): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const key = chainKey(await findSealedKey(db));
  for (const head of await unscopedHeads()) verdicts.push(await verifyChain(head, key));
  for (const businessId of await unscopedHeadless())
    verdicts.push({
      businessId,
      entries: 0,
      newest: "",
      isSealed: false,
      fault:
        "the note of its newest entry is gone, or the whole log: each begins with its business",
    });
  return verdicts;
}

async function verifyChain(head: HeadRow, key: Buffer): Promise<Verdict> {
  const { businessId } = head;
  const sealed = sealedSeq(head.seal);
  let seq = 0;
  let hash = "";
  const verdict = (fault: string | null): Verdict => ({
    businessId,
    entries: seq,
    newest: hash,
    isSealed: head.seal !== null && sealed >= head.seq,
    fault,
  });
  // Redacted entries, until the entry of their erasure is found to name them.
  const unproven = new Map<number, { by: number; hash: string }>();
  for (;;) {
    const rows = await entriesAfter(businessId, seq, step);
    for (const row of rows) {
      if (row.seq !== seq + 1) return verdict(`entry ${seq + 1} is gone`);
      if (row.redactedBy !== null)
        unproven.set(row.seq, { by: row.redactedBy, hash: redactedHashOf(row, key) });
      else if (row.hash !== hashOf(row, hash, key))
        return verdict(`entry ${row.seq} (${row.id}, ${row.createdAt}) was changed`);
      // Its own hash was checked above, so what it names was redacted by it.
      if (row.redactedBy === null)
        for (const one of redactedIn(row)) {
          const found = unproven.get(one.seq);
          if (found?.by !== row.seq) continue;
          if (one.hash !== null && one.hash !== found.hash)
            return verdict(`entry ${one.seq} was changed after its erasure`);
          unproven.delete(one.seq);
        }
      if (row.seq === sealed && head.seal !== sealOf(row, key))
        return verdict(`the seal of entry ${row.seq} was changed`);
      seq = row.seq;
      hash = row.hash;
    }
    if (rows.length < step) break;
  }
  const [stray] = unproven.keys();
  if (stray !== undefined) return verdict(`entry ${stray} was redacted, and no erasure says so`);
  if (Number.isNaN(sealed)) return verdict("the seal of its newest entry was changed");
  // An entry written while this ran is beyond the end that was read first.
  const last = Math.max(head.seq, sealed);
  if (seq < last) return verdict(`the newest entries, ${seq + 1} to ${last}, are gone`);
  if (seq === head.seq && hash !== head.hash)
    return verdict("the note of its newest entry was changed");
  return verdict(null);
}
