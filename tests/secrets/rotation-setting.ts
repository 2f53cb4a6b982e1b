import { randomBytes } from "node:crypto";
import { getTableName } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import { afterEach, beforeEach, vi } from "vitest";
import { db, openDatabase, pool } from "@/db/client";
import { provideLimits } from "@/db/limits";
import { migrateDatabase } from "@/db/migrate";
import { writeProcess } from "@/db/processes";
import { SEALED_COLUMNS } from "@/db/sealed-columns";
import { create as connectPlugin } from "@/lib/domain/integrations/manage";
import { insertMail, type NewMail } from "@/lib/domain/mails/rows";
import { newSecret } from "@/lib/domain/webhooks/secrets";
import { env, provideEnv } from "@/lib/env";
import { flushBatches } from "@/lib/http/batch";
import { signInRoute } from "@/lib/http/sign-in";
import { newId } from "@/lib/kernel/ids";
import { knownKeys, seal, setActiveKey } from "@/lib/kernel/secrets";
import { rotateSecret } from "@/lib/operator/secret";
import { checkSecret, verifySecret } from "@/lib/supervisor/secret";
import { nouns } from "../contract/fixtures";
import { newOffice, type Office } from "../dashboard/setting";
import { ownDatabaseEach } from "../own-database";
import { call, cookiesOf, type Person, password, somePerson } from "../staff/person";
import { codeOf, secretOf } from "../staff/totp";

/** The install's secret, and the one that replaces it in this test. */
export const secrets = { first: env.KUTIP_SECRET ?? "", second: "" };

/** Gives each test an install of its own. What commands print is collected in `said`, and their notes in `noted`. */
export function rotationEach(): { said: string[]; noted: string[] } {
  const heard = { said: [] as string[], noted: [] as string[] };
  ownDatabaseEach(async () => {
    knows(secrets.first);
    await migrateDatabase();
    await checkSecret("a test");
  });
  beforeEach(() => {
    secrets.second = randomBytes(32).toString("hex");
    heard.said = [];
    heard.noted = [];
    vi.spyOn(process.stdout, "write").mockImplementation(
      (text) => heard.said.push(String(text)) > 0,
    );
    vi.spyOn(process.stderr, "write").mockImplementation(
      (text) => heard.noted.push(String(text)) > 0,
    );
  });
  afterEach(async () => {
    // What is written later would go into the next test's install.
    await flushBatches();
    vi.restoreAllMocks();
    provideLimits();
    openDatabase();
    knows(secrets.first);
  });
  return heard;
}

/** From here on this process is one that was started with these secrets. */
export function knows(present: string, previous = ""): void {
  provideEnv({ KUTIP_SECRET: present, KUTIP_SECRET_PREVIOUS: previous });
  setActiveKey();
}

/** The same, once it has compared them with the database's. */
export async function restartedWith(present: string, previous = ""): Promise<void> {
  knows(present, previous);
  await verifySecret("a test");
}

/** The id of a secret. */
export function idOf(secret: string): string {
  const { KUTIP_SECRET = "", KUTIP_SECRET_PREVIOUS = "" } = env;
  provideEnv({ KUTIP_SECRET: secret, KUTIP_SECRET_PREVIOUS: "" });
  const [{ id }] = knownKeys();
  provideEnv({ KUTIP_SECRET, KUTIP_SECRET_PREVIOUS });
  return id;
}

/** The id of the secret that this process seals with. */
export const sealsWith = () => seal("text", "mail").split(".")[0];

export const QUICK = { settleMs: 0, pollMs: 10 };

/** Rotates from the first to the second secret. */
export async function rotate(): Promise<void> {
  await restartedWith(secrets.second, secrets.first);
  await rotateSecret(undefined, QUICK);
}

/** A live process on another machine that knows these secrets. */
export const otherProcess = (known: string[], pid = 4711) =>
  writeProcess(db, {
    id: newId(),
    kind: "web",
    pid,
    host: "far-away",
    keys: known.map(idOf),
    sealsWith: idOf(known[0] ?? ""),
  });

/** How many connections to this database wait for a lock. */
export const waitingForLock = async () =>
  (
    await pool("long").query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    )
  ).rowCount;

/** A business with a record of each kind, so that every sealed column but those of people holds a value. */
export async function fullOffice(): Promise<Office> {
  const office = await newOffice();
  for (const noun of Object.values(nouns)) await noun.make(office.shop.ctx);
  await connectPlugin(office.shop.ctx, { name: "Till", plugin: "woocommerce" });
  await someMail("Pay");
  for (const [change, value] of [
    ["gateway_connections set callback_secret = $1", seal("secret", "gateway")],
    ["tokenizations set method_id = $1", seal("method", "gateway")],
    ["webhook_endpoints set previous_secret = $1, previous_until = now()", newSecret().sealed],
    ["webhook_endpoints set earlier_secret = $1, earlier_until = now()", newSecret().sealed],
  ])
    await pool().query(`update ${change} where business_id = $2`, [value, office.businessId]);
  await pool().query(
    "insert into simulator.accounts (connection_id, secret_sealed, secret_digest) values ($1, $2, '')",
    [newId(), seal("secret", "gateway")],
  );
  await pool().query(
    "insert into notification_settings (business_id, user_id, chat_url) select business_id, user_id, $2 from memberships where business_id = $1",
    [office.businessId, seal("https://chat.example/x", "chat")],
  );
  await pool().query(
    "insert into idempotency_keys (business_id, mode, scope, body_digest, answer, claim, locked_until) values ($1, 'test', 'a', '', $2, '', now())",
    [office.businessId, seal("{}", "idempotency")],
  );
  return office;
}

/** A mail with this text. */
export async function someMail(text: string, more: Partial<NewMail> = {}): Promise<string> {
  const id = newId();
  const mail = { id, businessId: 0, mode: null, kind: "test", cause: id, objectId: null };
  const texts = { html: seal(text, "mail"), text: seal(text, "mail") };
  const to = { recipient: "ana@example.com", subject: "Pay" };
  await insertMail(db, { ...mail, ...to, ...texts, ...more });
  return id;
}

/** The sealed text of a mail. */
export const textOf = async (id: string): Promise<string> =>
  (await pool().query<{ text: string }>("select text from mails where id = $1", [id])).rows[0]
    ?.text ?? "";

/** How many values each sealed column holds, and how many of them name this secret. */
export async function valuesBy(secret: string) {
  const counts: Record<string, { all: number; own: number }> = {};
  for (const { column, sealedBy } of SEALED_COLUMNS) {
    const { schema = "public" } = getTableConfig(column.table as never);
    const table = `${schema}.${getTableName(column.table)}`;
    const prefix = sealedBy ? "$ba$" : `${idOf(secret)}.`;
    const { rows } = await pool().query<{ all: number; own: number }>(
      `select count(${column.name})::int as all, count(*) filter (where starts_with(${column.name}, $1))::int as own from ${table}`,
      [prefix],
    );
    counts[`${table}.${column.name}`] = rows[0] ?? { all: 0, own: 0 };
  }
  return counts;
}

/** Every column of the database, listed or not, that holds a value which names this secret. */
export async function columnsWith(secret: string): Promise<string[]> {
  const { rows } = await pool().query<{ place: string; column: string }>(
    `select format('%I.%I', n.nspname, c.relname) as place, format('%I', a.attname) as column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname in ('public', 'simulator') and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.atttypid in ('text'::regtype, 'jsonb'::regtype)`,
  );
  const found: string[] = [];
  for (const { place, column } of rows) {
    const { rowCount } = await pool().query(
      `select from ${place} where position($1 in ${column}::text) > 0 limit 1`,
      [`${idOf(secret)}.`],
    );
    if (rowCount) found.push(`${place}.${column}`);
  }
  return found;
}

/** A call of the sign-in library. */
export const post = (place: string, cookie: string, body: unknown = {}) =>
  call(signInRoute, `/auth${place}`, { method: "POST", body, headers: { cookie } });

/** A person with an authenticator app, set up with the current code: the next one is unused. */
export async function withApp(): Promise<Person & { secret: Buffer; backupCodes: string[] }> {
  const person = await somePerson();
  const enabled = await (await post("/two-factor/enable", person.cookie, { password })).json();
  const { totpURI, backupCodes } = enabled as { totpURI: string; backupCodes: string[] };
  const secret = secretOf(totpURI);
  const verified = await post("/two-factor/verify-totp", person.cookie, {
    code: codeOf(secret),
  });
  return { ...person, cookie: cookiesOf(verified, person.cookie), secret, backupCodes };
}
