import * as z from "zod";
import { backupProblems, backupSettings } from "./settings/backups";
import { traceSettings } from "./settings/traces";
import {
  address,
  addresses,
  contacts,
  days,
  hostAndPort,
  loopbackOrigin,
  oneOf,
  origin,
  type Setting,
  setting,
  whole,
  yesNo,
} from "./settings/forms";

// The only reader of process.env. Nothing is read at import, so a build can import it with nothing set.

const postgresUrl = z.string().regex(/^postgres(ql)?:\/\/[^\s]+$/);

/** Where tests replace a gateway. */
const testServer = (gateway: string, shown: string) =>
  setting({
    default: null,
    shown,
    help: `for tests only: the address of a ${gateway} test server on this machine`,
    expected: "an http origin on a loopback address, such as http://127.0.0.1:4242",
    schema: z.string().transform(loopbackOrigin).optional(),
  });

const settings = {
  PORT: setting({
    default: "3000",
    help: "port of the web process",
    expected: "a port from 1 to 65535",
    schema: whole(1, 65_535),
  }),
  HOST: setting({
    default: "127.0.0.1",
    help: "address to listen on; 0.0.0.0 for all",
    expected: "an address or a host name",
    schema: z.string().regex(/^[\w.:%-]+$/),
  }),
  BASE_URL: setting({
    default: null,
    shown: "http://localhost:<PORT>",
    help: "the address people and programs reach this install at; all addresses in answers are built from it",
    expected: "an http or https origin such as https://pay.example.com, without a path",
    schema: z.string().transform(origin).optional(),
  }),
  DATABASE_URL: setting({
    default: null,
    shown: "embedded Postgres in the data folder",
    help: "a Postgres server, 15 or newer, to use instead of the embedded one",
    expected: "postgres://user:password@host:5432/name",
    secret: true,
    schema: postgresUrl.optional(),
  }),
  DATABASE_DIRECT_URL: setting({
    default: null,
    shown: "the same as DATABASE_URL",
    help: "the Postgres server itself, where DATABASE_URL leads to PgBouncer; live changes, migrations and long work connect to it",
    expected: "postgres://user:password@host:5432/name",
    secret: true,
    schema: postgresUrl.optional(),
  }),
  DATABASE_REPLICA_URL: setting({
    default: null,
    shown: "none",
    help: "a streaming replica of DATABASE_URL; lists, searches, exports and the overview read there while it has everything that is committed",
    expected: "postgres://user:password@host:5432/name, with one host",
    secret: true,
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\/[^\s,]+$/)
      .optional(),
  }),
  DATABASE_POOL: setting({
    default: "10",
    help: "database connections of each process for its calls; up to 8 more serve searches, exports, long work, live changes, health checks and the heartbeat",
    expected: "a number from 2 to 500",
    schema: whole(2, 500),
  }),
  KUTIP_DATA_DIR: setting({
    default: null,
    shown: ".data",
    help: "folder of the embedded database, its log, the secret and first-run.json",
    expected: "a folder",
    schema: z.string().optional(),
  }),
  KUTIP_SECRET: setting({
    default: null,
    shown: "made at the first start and kept in the data folder",
    help: "encrypts secrets at rest and signs; the same for all processes of an install, changed with kutip secret:rotate alone",
    expected: "at least 32 characters",
    secret: true,
    schema: z.string().min(32).optional(),
  }),
  KUTIP_SECRET_PREVIOUS: setting({
    default: null,
    shown: "only values of KUTIP_SECRET can be opened",
    help: "the secret before this one, while kutip secret:rotate replaces it",
    expected: "at least 32 characters",
    secret: true,
    schema: z.string().min(32).optional(),
  }),
  SMTP_URL: setting({
    default: null,
    shown: "mails stay in the built-in outbox",
    help: "mail server",
    expected: "smtp://user:password@host:587 or smtps://…",
    secret: true,
    schema: z
      .string()
      .regex(/^smtps?:\/\/[^\s]+$/)
      .optional(),
  }),
  MAIL_FROM: setting({
    default: "Kutip <no-reply@localhost>",
    help: "sender of mails",
    expected: "name@example.com or Name <name@example.com>",
    schema: z
      .string()
      .regex(address)
      .transform((text) => {
        const [, name, named, plain] = address.exec(text) ?? [];
        return { name: (name ?? "").replace(/^"(.*)"$/, "$1"), address: named ?? plain ?? "" };
      }),
  }),
  RATE_LIMIT_KEY: setting({
    default: "1000",
    help: "requests a minute of one API key, or of one signed-in person; 0 is off",
    expected: "a number from 0 to 999999999",
    schema: whole(0, 999_999_999),
  }),
  RATE_LIMIT_BUSINESS: setting({
    default: "3000",
    help: "requests a minute of all API keys of one business; 0 is off",
    expected: "a number from 0 to 999999999",
    schema: whole(0, 999_999_999),
  }),
  RATE_LIMIT_COST: setting({
    default: "300",
    help: "points of costly work (receipts, images, bulk calls, exports) a minute of one business; 0 is off",
    expected: "a number from 0 to 999999999",
    schema: whole(0, 999_999_999),
  }),
  RATE_LIMIT_ANONYMOUS: setting({
    default: "60",
    help: "requests a minute of one address that fail authentication; 0 is off",
    expected: "a number from 0 to 999999999",
    schema: whole(0, 999_999_999),
  }),
  RATE_LIMIT_SIGN_IN: setting({
    default: "10",
    help: "sign-ins a minute of one address; 0 is off",
    expected: "a number from 0 to 999999999",
    schema: whole(0, 999_999_999),
  }),
  RATE_LIMIT_PAYER: setting({
    default: "120",
    help: "requests a minute of one address to payer pages and around signing in, five times as many to one link; 0 is off",
    expected: "a number from 0 to 99999999",
    schema: whole(0, 99_999_999),
  }),
  RATE_LIMIT_PAGE: setting({
    default: "20",
    help: "pages of the dashboard a second of one address; 0 is off",
    expected: "a number from 0 to 99999999",
    schema: whole(0, 99_999_999),
  }),
  RATE_LIMIT_TIME: setting({
    default: "250",
    help: "milliseconds of work a second that the API calls of one business may use while other businesses call the same process; 0 is off",
    expected: "a number from 0 to 1000",
    schema: whole(0, 1_000),
  }),
  CONNECTIONS_PER_ADDRESS: setting({
    default: "512",
    help: "open connections of one address, not of TRUSTED_PROXIES; 0 is off",
    expected: "a number from 0 to 10000",
    schema: whole(0, 10_000),
  }),
  DRAIN_SECONDS: setting({
    default: null,
    shown: "5; 0 under npm start",
    help: "seconds that a stopping web process keeps serving while it reports that it is not ready",
    expected: "a number from 0 to 300",
    schema: whole(0, 300).optional(),
  }),
  TRUSTED_PROXIES: setting({
    default: null,
    shown: "none",
    help: "proxies that may set X-Forwarded-For",
    expected: "addresses or ranges such as 10.0.0.0/8, separated by commas",
    schema: z.string().optional().transform(addresses),
  }),
  SIGN_UP: setting({
    default: "closed",
    help: "who may make a business: closed, invite or open; open needs SMTP_URL",
    expected: "closed, invite or open",
    schema: oneOf(["closed", "invite", "open"]),
  }),
  SECURITY_CONTACT: setting({
    default: null,
    shown: "no security.txt is served",
    help: "where people report weaknesses of this install; served at /.well-known/security.txt",
    expected: "e-mail addresses or https addresses, separated by commas",
    schema: z.string().optional().transform(contacts),
  }),
  OPERATOR_CONTACT: setting({
    default: null,
    shown: "the dashboard names none",
    help: "contact for people who use the dashboard; shown on its help page, and to people who cannot sign in",
    expected: "e-mail addresses or https addresses, separated by commas",
    schema: z.string().optional().transform(contacts),
  }),
  WEBHOOK_ALLOW_PRIVATE: setting({
    default: "false",
    help: "lets webhooks go to http and private addresses",
    expected: "true or false",
    schema: yesNo,
  }),
  STRIPE_API_URL: testServer("Stripe", "https://api.stripe.com"),
  CHIP_API_URL: testServer("CHIP", "https://gate.chip-in.asia"),
  BILLPLZ_API_URL: testServer("Billplz", "https://www.billplz.com"),
  BILLPLZ_SANDBOX_API_URL: testServer("Billplz", "https://www.billplz-sandbox.com"),
  EVENT_DAYS: setting({
    default: "0",
    help: "days that events are kept, at least; they go a month at a time. 0 keeps them",
    expected: "0, or a number from 90 to 36500",
    schema: days(90),
  }),
  MAIL_DAYS: setting({
    default: "0",
    help: "days that mails are kept, at least; they go a month at a time. 0 keeps them",
    expected: "0, or a number from 30 to 36500",
    schema: days(30),
  }),
  REQUEST_LOG_DAYS: setting({
    default: "30",
    help: "days that the request log keeps a call",
    expected: "a number from 1 to 366",
    schema: whole(1, 366),
  }),
  ...backupSettings,
  METRICS_ADDRESS: setting({
    default: null,
    shown: "no port is opened for metrics",
    help: "where each process serves /metrics for Prometheus and the health addresses, for your own network; under npm start web takes the port after it, worker the one after that",
    expected: "host:port such as 127.0.0.1:9400",
    schema: z.string().transform(hostAndPort).optional(),
  }),
  METRICS_TOKEN: setting({
    default: null,
    shown: "the web port serves no /metrics",
    help: "bearer token with which GET /metrics is served on the web port too",
    expected: "at least 32 characters",
    secret: true,
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{32,}$/)
      .optional(),
  }),
  ...traceSettings,
  LOG_LEVEL: setting({
    default: "info",
    help: "trace, debug, info, warn, error, fatal or silent",
    expected: "trace, debug, info, warn, error, fatal or silent",
    schema: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  }),
  WORKER_POLL_MS: setting({
    default: "900",
    help: "milliseconds between two checks for due work",
    expected: "a number from 10 to 60000",
    schema: whole(10, 60_000),
  }),
};

type Settings = { [K in keyof typeof settings]: z.output<(typeof settings)[K]["schema"]> };
export type Env = Omit<Settings, "BASE_URL"> & { BASE_URL: string };
type Source = Record<string, string | undefined>;

/** The settings as people read them, for `--help` and `.env.example`. */
export const SETTINGS: readonly {
  name: string;
  default: string;
  help: string;
  optional: boolean;
}[] = Object.entries(settings).map(([name, one]: [string, Setting<z.ZodType>]) => ({
  name,
  default: one.default ?? one.shown ?? "",
  help: one.help,
  optional: one.default === null,
}));

/** A setting that cannot be used; the message has a line for each, naming it and what is expected. */
export class EnvError extends Error {
  override name = "EnvError";
}

/** Reads all settings from a source; an empty value counts as absent. Throws EnvError naming each bad one. */
export function readEnv(source: Source): Env {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, one] of Object.entries(settings) as [string, Setting<z.ZodType>][]) {
    const given = source[name]?.trim() || undefined;
    const parsed = one.schema.safeParse(given ?? one.default ?? undefined);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} must be ${one.expected}${one.secret ? "" : `; it is "${given}"`}`);
  }
  if (values.SIGN_UP === "open" && !source.SMTP_URL?.trim())
    problems.push(
      "SMTP_URL must be set while SIGN_UP is open: people confirm their address by mail",
    );
  if (values.DATABASE_URL === undefined)
    for (const name of ["DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"] as const)
      if (values[name] !== undefined)
        problems.push(`DATABASE_URL must be set while ${name} is set: both name one database`);
  problems.push(...backupProblems(source));
  if (problems.length > 0) throw new EnvError(problems.join("\n"));
  values.BASE_URL ??= `http://localhost:${values.PORT}`;
  return values as Env;
}

let current: Env | undefined;

/** The settings of this process, read when first looked at. */
export const env: Env = new Proxy({} as Env, {
  get: (_, name) => {
    current ??= readEnv(process.env);
    return Reflect.get(current, name);
  },
});

/** Settings found out after the start (embedded database, kept secret): for this process and its children. */
export function provideEnv(values: Partial<Record<keyof Env, string>>): void {
  Object.assign(process.env, values);
  current = undefined;
}

/** Whether one of these is set, as opposed to its default. */
export const isGiven = (...names: (keyof Env)[]): boolean =>
  names.some((name) => Boolean(process.env[name]?.trim()));

/** These settings as texts, empty where they are not set. */
export const givenTexts = <Name extends keyof Env>(names: readonly Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""])) as Record<Name, string>;

/** Whether a supervisor started this process before it knew all settings. */
export const startedAhead: boolean = process.env.KUTIP_STARTED_AHEAD === "true";

/** The whole environment with some values replaced, for a child process. */
export const childEnv = (values: Source = {}): NodeJS.ProcessEnv => ({ ...process.env, ...values });

/** True in an install, as against tests and `next dev`. */
export const installed: boolean = process.env.NODE_ENV === "production";

/** True under `next dev` alone. */
export const developing: boolean = process.env.NODE_ENV === "development";

/** The caller's folder, from which npm was run: relative file names start there. */
export const callerFolder = (): string => process.env.KUTIP_CWD ?? process.cwd();
