import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Connection } from "../gateway";
import { call } from "./client";
import { PublicKey, Webhooks } from "./shapes";

// CHIP signs success callbacks with the key of the company, and each webhook with a key of its own. The company's key is kept with the connection; what
// was fetched since is kept in memory.

/** Forged callbacks must not make us ask CHIP more often than this. */
const REFETCH_MS = 60_000;
const MAX_CONNECTIONS = 10_000;

type Kept = { keys: readonly string[]; fetchedAt: number; fetching: Promise<void> | null };
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
  const known = () => [...own, ...(kept.get(connection.id)?.keys ?? [])];
  if (isSignedBy(known(), raw, signature)) return true;
  await refetch(connection);
  return isSignedBy(known(), raw, signature);
}

async function refetch(connection: Connection): Promise<void> {
  const now = Date.now();
  const state = kept.get(connection.id);
  if (state && now - state.fetchedAt < REFETCH_MS) return void (await state.fetching);
  if (kept.size >= MAX_CONNECTIONS) kept.clear();
  const next: Kept = { keys: state?.keys ?? [], fetchedAt: now, fetching: null };
  kept.set(connection.id, next);
  next.fetching = fetchKeys(connection).then((keys) => {
    if (keys.length > 0) next.keys = keys;
    next.fetching = null;
  });
  await next.fetching;
}

/** The company's key and those of webhooks that call this connection. */
async function fetchKeys(connection: Connection): Promise<string[]> {
  const company = await fetchCompanyKey(connection);
  const webhooks = await call(
    connection,
    "reading CHIP's webhooks",
    { method: "GET", path: "/webhooks/" },
    Webhooks,
  );
  const address = `/api/gateways/chip/callback/${connection.id}`;
  const keys = webhooks.ok
    ? webhooks.value.results
        .filter(({ callback }) => callback.endsWith(address))
        .flatMap(({ public_key }) => public_key ?? [])
    : [];
  return [...(company.ok ? [company.value] : []), ...keys];
}
