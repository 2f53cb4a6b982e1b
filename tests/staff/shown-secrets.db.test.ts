import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { exampleBody } from "@/lib/contract/examples";
import { unseal } from "@/lib/kernel/secrets";
import { api } from "../contract/setting";
import { as, someEmail, someStaff } from "./person";

afterAll(closePool);

const origin = { origin: "http://localhost:3000" };
type Owner = Awaited<ReturnType<typeof someStaff>>;

const send = (owner: Owner, method: string, path: string, body: unknown, key?: string) =>
  api(method, path, {
    headers: { ...as(owner), ...origin, ...(key ? { "idempotency-key": key } : {}) },
    ...(body === undefined ? {} : { body }),
  });

/** The id of the record that a path needs. */
async function idFor(owner: Owner, path: string): Promise<string> {
  const [collection = ""] = path.split("/{");
  const bodies: Record<string, object> = {
    "/api-keys": { name: "Till" },
    "/team/invitations": { email: someEmail(), role: "owner" },
    "/integrations": { name: "Till", plugin: "woocommerce" },
    "/webhook-endpoints": { url: "https://shop.example/webhooks" },
  };
  const body = bodies[collection];
  const made = await send(owner, "POST", collection, body);
  return (made.body.data as { _id: string })._id;
}

const showing = [...endpoints, ...staffEndpoints].filter(
  ({ showsSecret, method }) => showsSecret && method !== "GET",
);

test.each(showing.map((endpoint) => [endpoint.id, endpoint] as const))(
  "%s shows its secret once: the same request again is 409 and changes nothing",
  async (_, endpoint) => {
    const owner = await someStaff();
    const path = endpoint.path.includes("{")
      ? endpoint.path.replace(/\{\w+\}/, await idFor(owner, endpoint.path))
      : endpoint.path;
    const body = exampleBody(endpoint);
    const first = await send(owner, endpoint.method, path, body, "once");
    expect(first.status).toBe(200);
    const { key, secret, password, url } = first.body.data as Record<string, string | undefined>;
    const shown = key ?? secret ?? password ?? url ?? "";
    expect(shown.length).toBeGreaterThan(20);
    const second = await send(owner, endpoint.method, path, body, "once");
    expect(second.status).toBe(409);
    expect(second.body).toEqual({
      message: "This request was done already. Its answer held a secret, which is shown only once.",
      code: "secret_already_shown",
      errors: {},
    });
    const { rows } = await pool().query<{ answer: string }>(
      "select answer from idempotency_keys where business_id = $1",
      [owner.businessId],
    );
    for (const { answer } of rows) expect(unseal(answer, "idempotency")).not.toContain(shown);
  },
);

test("an answer that an earlier version kept with its secret is not shown either", async () => {
  const owner = await someStaff();
  const body = { name: "Till" };
  await send(owner, "POST", "/api-keys", body, "old");
  await send(owner, "POST", "/payment-links/bulk?dry_run=true", { rows: [{}] }, "with-data");
  await pool().query(
    `update idempotency_keys k set answer = o.answer from idempotency_keys o
     where k.business_id = $1 and o.business_id = $1 and k.scope <> o.scope`,
    [owner.businessId],
  );
  expect((await send(owner, "POST", "/api-keys", body, "old")).body.code).toBe(
    "secret_already_shown",
  );
});

test("the query belongs to the request that a key names", async () => {
  const owner = await someStaff();
  const rows = [{ email: "ana@example.com", currency: "MYR", amount: 500, title: "Invoice" }];
  const bulk = async (query: string) => {
    const answer = await send(owner, "POST", `/payment-links/bulk${query}`, { rows }, "import");
    return {
      replayed: answer.headers.get("idempotent-replayed"),
      created: (answer.body.data as { created: number }).created,
    };
  };
  expect(await bulk("?dry_run=true")).toEqual({ replayed: null, created: 0 });
  expect(await bulk("")).toEqual({ replayed: null, created: 1 });
  expect(await bulk("")).toEqual({ replayed: "true", created: 1 });
  expect(await bulk("?dry_run=true")).toEqual({ replayed: "true", created: 0 });
});

test("a payer's token and activation_url are replayed", async () => {
  const owner = await someStaff();
  const body = { email: "ana@example.com", title: "Gold", description: "Monthly" };
  const first = await send(owner, "POST", "/tokenizations/create-token", body, "token");
  const second = await send(owner, "POST", "/tokenizations/create-token", body, "token");
  expect(second.text).toBe(first.text);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
});
