import { expect, test } from "vitest";
import * as keysRoute from "@/app/api/api-keys/route";
import * as keyRoute from "@/app/api/api-keys/[key_id]/route";
import * as rollRoute from "@/app/api/api-keys/[key_id]/roll/route";
import * as packagesRoute from "@/app/api/packages/route";
import { db } from "@/db/client";
import { apiKeys } from "@/db/schema/businesses";
import type { ApiKey, NewApiKey } from "@/lib/contract/api-keys";
import { eq } from "drizzle-orm";
import { dataOf } from "./office";
import { as, call, someStaff } from "./person";

type Staff = Awaited<ReturnType<typeof someStaff>>;
const create = (
  staff: Staff,
  mode: "test" | "live" = "test",
  body: unknown = { name: "Web shop" },
) => call(keysRoute.POST, "/api-keys", { method: "POST", headers: as(staff, mode), body });
const list = async (staff: Staff, mode: "test" | "live" = "test", query = "") =>
  (
    await dataOf<{ data: ApiKey[] }>(
      call(keysRoute.GET, `/api-keys${query}`, { headers: as(staff, mode) }),
    )
  ).data;
const revoke = (staff: Staff, id: string) =>
  call(keyRoute.DELETE, `/api-keys/${id}`, {
    method: "DELETE",
    headers: as(staff),
    params: { key_id: id },
  });
const roll = (staff: Staff, id: string, body: unknown = {}) =>
  call(rollRoute.POST, `/api-keys/${id}/roll`, {
    method: "POST",
    headers: as(staff),
    body,
    params: { key_id: id },
  });
const use = (key: string) =>
  call(packagesRoute.GET, "/packages", { headers: { authorization: `Bearer ${key}` } });
/** From here on the key is refused: within a second, as promised. */
const refused = (key: string) =>
  expect.poll(async () => (await use(key)).status, { timeout: 60_000, interval: 50 }).toBe(401);

test("a key is shown once, works in its mode, and is listed with who made it and what it ends in", async () => {
  const staff = await someStaff();
  const made = await dataOf<NewApiKey>(create(staff, "live"));
  expect(made.key).toMatch(/^sk_live_/);
  expect((await use(made.key)).status).toBe(200);
  const [listed] = await list(staff, "live");
  expect(listed).toMatchObject({
    _id: made._id,
    name: "Web shop",
    mode: "live",
    last_four: made.key.slice(-4),
    created_by: "Some Body",
    revoked_at: null,
  });
  expect(JSON.stringify(listed)).not.toContain(made.key);
  expect(await list(staff, "test")).toEqual([]);
  const rows = await db.select().from(apiKeys).where(eq(apiKeys.businessId, staff.businessId));
  expect(JSON.stringify(rows)).not.toContain(made.key);
});

test("a revoked key is refused everywhere within a second and cannot be revoked again", async () => {
  const staff = await someStaff();
  const made = await dataOf<NewApiKey>(create(staff));
  expect((await use(made.key)).status).toBe(200);
  expect(await dataOf(revoke(staff, made._id))).toMatchObject({
    _id: made._id,
    revoked_at: expect.any(String),
  });
  await refused(made.key);
  expect((await revoke(staff, made._id)).status).toBe(404);
  expect(await list(staff, "test", "?status=active")).toEqual([]);
  expect(await list(staff, "test", "?status=revoked")).toMatchObject([{ _id: made._id }]);
});

test("after a roll both keys work, without overlap only the new one", async () => {
  const staff = await someStaff();
  const first = await dataOf<NewApiKey>(create(staff));
  const second = await dataOf<NewApiKey>(roll(staff, first._id));
  expect((await use(first.key)).status).toBe(200);
  expect((await use(second.key)).status).toBe(200);
  expect(second.name).toBe(first.name);
  const ending = (await list(staff)).find(({ _id }) => _id === first._id);
  const hours = (Date.parse(ending?.revoked_at ?? "") - Date.parse(second.created_at)) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  expect((await roll(staff, first._id)).status).toBe(409);
  const third = await dataOf<NewApiKey>(roll(staff, second._id, { overlap_hours: 0 }));
  await refused(second.key);
  expect((await use(third.key)).status).toBe(200);
});

test.each([[-1], [169], [1.5], ["24"]])(
  "an overlap of %j hours is a 422",
  async (overlap_hours) => {
    const staff = await someStaff();
    const made = await dataOf<NewApiKey>(create(staff));
    expect((await roll(staff, made._id, { overlap_hours })).status).toBe(422);
  },
);

test("an expiry in the past is a 422, one in the future is kept", async () => {
  const staff = await someStaff();
  expect(
    (await create(staff, "test", { name: "A", expires_at: "2020-01-01T00:00:00Z" })).status,
  ).toBe(422);
  expect(
    await dataOf(create(staff, "test", { name: "A", expires_at: "2099-01-01T00:00:00Z" })),
  ).toMatchObject({ expires_at: "2099-01-01T00:00:00.000000Z" });
});

test("a bearer key cannot see, make, roll or revoke keys", async () => {
  const staff = await someStaff();
  const { key, _id } = await dataOf<NewApiKey>(create(staff));
  const headers = { authorization: `Bearer ${key}` };
  const params = { key_id: _id };
  const answers = await Promise.all([
    call(keysRoute.GET, "/api-keys", { headers }),
    call(keysRoute.POST, "/api-keys", { method: "POST", headers, body: { name: "A" } }),
    call(keyRoute.DELETE, `/api-keys/${_id}`, { method: "DELETE", headers, params }),
    call(rollRoute.POST, `/api-keys/${_id}/roll`, { method: "POST", headers, body: {}, params }),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: "key_cannot_do_this" });
  }
});

test("another business's key, and one of the other mode, is not found", async () => {
  const staff = await someStaff();
  const other = await someStaff();
  const theirs = await dataOf<NewApiKey>(create(other));
  const live = await dataOf<NewApiKey>(create(staff, "live"));
  for (const id of [theirs._id, live._id]) {
    expect((await revoke(staff, id)).status).toBe(404);
    expect((await roll(staff, id)).status).toBe(404);
  }
  expect((await use(theirs.key)).status).toBe(200);
});
