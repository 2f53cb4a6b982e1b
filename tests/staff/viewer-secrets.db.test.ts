import { beforeAll, describe, expect, test } from "vitest";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { createKey } from "@/lib/domain/api-keys/create";
import { systemCtx } from "@/lib/domain/context";
import { addMember } from "@/lib/domain/users/create";
import { flushBatches } from "@/lib/http/batch";
import { nouns } from "../contract/fixtures";
import { api } from "../contract/setting";
import { as, someEmail, somePerson, someStaff } from "./person";

const origin = { origin: "http://localhost:3000" };
const readable = [...endpoints, ...staffEndpoints].filter(
  ({ method, access, roles, media }) =>
    method === "GET" &&
    (access === "key" || access === "staff") &&
    roles.includes("viewer") &&
    media !== "text/event-stream",
);

let viewer: Record<string, string>;
let businessId: number;
const secrets = new Set<string>();

/** Keeps every long text under a name that says secret. */
function keepSecrets(value: unknown, name = ""): void {
  if (typeof value === "string") {
    if (/^(token|key|secret)$|_secret$/.test(name)) secrets.add(value);
    else if (value.includes("#")) secrets.add(value.split("#")[1] ?? "");
  } else if (typeof value === "object" && value !== null)
    for (const [field, one] of Object.entries(value)) keepSecrets(one, field);
}

beforeAll(async () => {
  const owner = await someStaff();
  businessId = owner.businessId;
  const headers = { ...as(owner), ...origin };
  const made = async (path: string, body: object, method = "POST") => {
    const answer = await api(method, path, { headers, ...(method === "GET" ? {} : { body }) });
    expect([path, answer.status]).toEqual([path, 200]);
    keepSecrets(answer.body.data);
    return answer.body.data as { _id: string };
  };
  await made("/tokenizations/create-token", {
    email: "ana@example.com",
    title: "Gold",
    description: "Fee",
  });
  await made("/api-keys", { name: "Web shop" });
  await made("/webhook-endpoints", { url: "https://shop.example/hooks" });
  await made("/business/signing-secret", {}, "GET");
  const { _id } = await made("/team/invitations", { email: someEmail(), role: "staff" });
  await made(`/team/invitations/${_id}/link`, {});
  secrets.add((await createKey({ businessId, mode: "test" }, "Other")).secret);
  const person = await somePerson();
  await addMember(businessId, person.userId, "viewer");
  viewer = as({ ...person, businessId });
  await flushBatches();
});

test("the secrets of a business are known to this test", () => {
  expect(secrets.size).toBeGreaterThanOrEqual(6);
});

describe.each(readable.map((one) => [one.path, one] as const))("GET %s", (_, { path }) => {
  test("shows a viewer no bearer secret", async () => {
    const ctx = systemCtx({ businessId, mode: "test" }, { kind: "payer" }, "viewer-secrets");
    let address = path;
    for (const [part, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
      const record = await nouns[name]?.make(ctx);
      for (const secret of record?.addresses ?? []) if (secret.length > 24) secrets.add(secret);
      address = address.replace(part, record?.id ?? "6740f1c09a3be27d51c8e4f0");
    }
    const { text } = await api("GET", address, { headers: viewer });
    expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).not.toMatch(/sk_(test|live)_[0-9A-Za-z]{20}|whsec_\w{16}/);
  });
});

test("a viewer gets null for a token and its address, and staff get both", async () => {
  const ctx = systemCtx({ businessId, mode: "test" }, { kind: "payer" }, "viewer-secrets");
  const { id, addresses } = (await nouns.token?.make(ctx)) ?? { id: "", addresses: [] };
  const seen = await api("GET", `/tokenizations/${id}`, { headers: viewer });
  expect(seen.body.data).toMatchObject({ _id: id, token: null, activation_url: null });
  const staff = await somePerson();
  await addMember(businessId, staff.userId, "staff");
  const known = await api("GET", `/tokenizations/${id}`, { headers: as({ ...staff, businessId }) });
  expect(known.body.data).toMatchObject({ token: addresses[1] });
});
