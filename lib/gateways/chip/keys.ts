import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type * as z from "zod";
import type { Connection } from "../gateway";
import { call, type ChipResult, origin } from "./client";
import { PublicKey, Webhooks } from "./shapes";

// CHIP signs success callbacks with the key of the company, and each webhook with a key of its own. The company's key is kept with the connection; what
// was fetched since is kept in memory.

/** Forged callbacks must not make us ask CHIP more often than this. */
const REFETCH_MS = 60_000;
const MAX_CONNECTIONS = 10_000;
const MAX_PAGES = 20;

/** Keys as they were last fetched: the company's, and those of webhooks that call this connection. */
type Keys = { company: readonly string[]; webhooks: readonly string[] };
type Kept = Keys & { fetchedAt: number; fetching: Promise<void> | null };
const kept = new Map<string, Kept>();

/** Asks CHIP for the key of the company that a secret key belongs to. */
export const fetchCompanyKey = (connection: Pick<Connection, "id" | "secret">) =>
  call(connection, "reading CHIP's public key", { method: "GET", path: "/public_key/" }, PublicKey);

function keyOf(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}

/** The bytes of a signature in base64; null for another spelling of the same bytes. */
function bytesOf(signature: string): Buffer | null {
  const bytes = Buffer.from(signature, "base64");
  return bytes.length > 0 && bytes.toString("base64") === signature ? bytes : null;
}

const isSignedBy = (keys: readonly string[], raw: Uint8Array, signature: Buffer) =>
  keys.some((pem) => {
    const key = keyOf(pem);
    return key !== null && verify("sha256", raw, key, signature);
  });

/** Whether CHIP signed these bytes. After a failed check the keys are fetched again, at most once a minute for a connection. */
export async function isSigned(
  connection: Connection,
  raw: Uint8Array,
  header: string | null,
): Promise<boolean> {
  const signature = header === null ? null : bytesOf(header);
  if (!signature) return false;
  const own = connection.callbackSecret ? [connection.callbackSecret] : [];
  const known = () => {
    const { company = [], webhooks = [] } = kept.get(connection.id) ?? {};
    return [...own, ...company, ...webhooks];
  };
  if (isSignedBy(known(), raw, signature)) return true;
  await refetch(connection);
  return isSignedBy(known(), raw, signature);
}

async function refetch(connection: Connection): Promise<void> {
  const now = performance.now();
  const state = kept.get(connection.id);
  if (state && now - state.fetchedAt < REFETCH_MS) return void (await state.fetching);
  if (kept.size >= MAX_CONNECTIONS) kept.clear();
  const { company = [], webhooks = [] } = state ?? {};
  const next: Kept = { company, webhooks, fetchedAt: now, fetching: null };
  kept.set(connection.id, next);
  next.fetching = fetchKeys(connection, next).then((keys) => {
    Object.assign(next, keys, { fetching: null });
  });
  await next.fetching;
}

/** The keys as they are now. Those that CHIP does not answer for stay as they were. */
async function fetchKeys(connection: Connection, before: Keys): Promise<Keys> {
  const company = await fetchCompanyKey(connection);
  const { keys, isWhole } = await fetchWebhookKeys(connection);
  return {
    company: company.ok ? [company.value] : before.company,
    webhooks: isWhole ? keys : [...new Set([...keys, ...before.webhooks])],
  };
}

/** `isWhole`: CHIP answered for each page of its list. */
async function fetchWebhookKeys(
  connection: Connection,
): Promise<{ keys: string[]; isWhole: boolean }> {
  const address = `/api/gateways/chip/callback/${connection.id}`;
  const keys: string[] = [];
  let query: string | null = "";
  for (let pages = 0; query !== null && pages < MAX_PAGES; pages++) {
    const page: ChipResult<z.output<typeof Webhooks>> = await call(
      connection,
      "reading CHIP's webhooks",
      { method: "GET", path: `/webhooks/${query}` },
      Webhooks,
    );
    if (!page.ok) return { keys, isWhole: false };
    const { results, next } = page.value;
    const own = results.filter(({ callback }) => callback.endsWith(address));
    keys.push(...own.flatMap(({ public_key }) => public_key ?? []));
    query = queryOf(next);
  }
  return { keys, isWhole: true };
}

/** The query of the next page; null without one. The secret key goes to no other address than this list's. */
function queryOf(next: string | null | undefined): string | null {
  if (!next || !URL.canParse(next, origin())) return null;
  return new URL(next, origin()).search || null;
}
