import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { SavedView, SavedViewInput } from "@/lib/contract/saved-views";
import { savedLists, savedViewLimits } from "@/lib/contract/values";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { data, member, newOffice, type Office, staffCall } from "./setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
afterAll(closePool);

type Headers = Record<string, string>;
let office: Office;
let people: Record<"owner" | "admin" | "staff" | "viewer", Headers>;
beforeAll(async () => {
  office = await newOffice();
  people = {
    owner: office.headers,
    admin: await member(office, "admin"),
    staff: await member(office, "staff"),
    viewer: await member(office, "viewer"),
  };
});
beforeEach(() =>
  pool().query("delete from saved_views where business_id = $1", [office.businessId]),
);

const view = (change: Partial<SavedViewInput> = {}): SavedViewInput => ({
  list: "payment_links",
  name: "Open",
  filters: { status: "Active" },
  ...change,
});
const call = (who: Headers, method: string, path: string, body?: unknown) =>
  staffCall(office, method, path, body, who);
const save = async (who: Headers, change: Partial<SavedViewInput> = {}) =>
  data<SavedView>(await call(who, "POST", "/saved-views", view(change)));
const seen = async (who: Headers, list = "payment_links") =>
  data<SavedView[]>(await call(who, "GET", `/saved-views?list=${list}`));
const status = async (answer: ReturnType<typeof call>) => (await answer).status;

test("a view is kept and replaced as it was sent", async () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,39}$/);
  const terms = fc.record({
    name: fc.constantFrom("Open", "Überfällig", "未払い"),
    filters: fc.dictionary(word, fc.constantFrom("Active", "@Last 30 days", "a b", '"%_\\'), {
      maxKeys: 30,
      noNullPrototype: true,
    }),
    sort: fc.constantFrom(null, "amount", "-amount"),
    columns: fc.option(fc.uniqueArray(word, { minLength: 1, maxLength: 30 })),
    shared: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...savedLists), terms, terms, async (list, first, then) => {
      const made = await save(people.owner, { list, ...first });
      expect(made).toMatchObject({ list, ...first, mine: true });
      const path = `/saved-views/${made._id}`;
      expect(data(await call(people.owner, "PUT", path, then))).toMatchObject({ list, ...then });
      expect((await seen(people.owner, list)).find(({ _id }) => _id === made._id)).toMatchObject(
        then,
      );
      expect(await status(call(people.owner, "DELETE", path))).toBe(200);
      expect(await status(call(people.owner, "DELETE", path))).toBe(404);
    }),
    { numRuns: 20 },
  );
});

describe("who sees and changes a view", () => {
  test("the same Idempotency-Key saves one for each who sends it, and repeats no one's to another", async () => {
    const send = async (who: Headers) =>
      data<SavedView>(
        await call({ ...who, "idempotency-key": "view-1" }, "POST", "/saved-views", view()),
      );
    const [first, other] = [await send(people.owner), await send(people.staff)];
    expect(other._id).not.toBe(first._id);
    expect(await send(people.owner)).toEqual(first);
    for (const [who, { _id }] of [
      [people.owner, first],
      [people.staff, other],
    ] as const)
      expect((await seen(who)).map((one) => one._id)).toEqual([_id]);
    const lost = { method: "POST", path: "/api/saved-views", idempotency_key: "view-1" };
    for (const [who, outcome] of [
      [people.staff, "ran"],
      [people.admin, "never_ran"],
    ] as const)
      expect(data(await call(who, "POST", "/requests/settle", lost))).toEqual({ outcome });
  });

  test("what a person saved for themselves, nobody else sees, changes or deletes", async () => {
    const { _id } = await save(people.staff);
    for (const who of [people.owner, people.admin, people.viewer]) {
      expect(await seen(who)).toEqual([]);
      const { list: _list, ...terms } = view();
      expect(await status(call(who, "PUT", `/saved-views/${_id}`, terms))).toBe(404);
      expect(await status(call(who, "DELETE", `/saved-views/${_id}`))).toBe(404);
    }
    expect(await seen(people.staff)).toHaveLength(1);
  });

  test("a view of the team is seen by all, changed by who saved it, deleted by them and who manages", async () => {
    for (const [who, may] of [
      [people.viewer, { change: 403, remove: 403 }],
      [people.admin, { change: 403, remove: 200 }],
      [people.owner, { change: 403, remove: 200 }],
      [people.staff, { change: 200, remove: 200 }],
    ] as const) {
      const { _id } = await save(people.staff, { shared: true });
      expect((await seen(who)).map(({ mine }) => mine)).toEqual([who === people.staff]);
      const { list: _list, ...terms } = view({ shared: true, name: "Changed" });
      expect(await status(call(who, "PUT", `/saved-views/${_id}`, terms))).toBe(may.change);
      expect(await status(call(who, "DELETE", `/saved-views/${_id}`))).toBe(may.remove);
      if (may.remove !== 200) await call(people.owner, "DELETE", `/saved-views/${_id}`);
    }
  });

  test("a viewer saves for themselves and not for the team, also by a change", async () => {
    const { _id } = await save(people.viewer);
    const { list: _list, ...terms } = view({ shared: true });
    expect(await status(call(people.viewer, "POST", "/saved-views", view({ shared: true })))).toBe(
      403,
    );
    expect(await status(call(people.viewer, "PUT", `/saved-views/${_id}`, terms))).toBe(403);
    expect(await seen(people.owner)).toEqual([]);
  });

  test("a member who became a viewer changes no view of the team that they saved before, and may delete it", async () => {
    const formerStaff = await member(office, "staff");
    const { _id } = await save(formerStaff, { shared: true });
    await pool().query(
      "update memberships set role = 'viewer' where business_id = $1 and user_id = (select user_id from saved_views where business_id = $1 and id = $2)",
      [office.businessId, _id],
    );
    for (const shared of [true, false]) {
      const { list: _list, ...terms } = view({ shared, name: "Changed" });
      expect(await status(call(formerStaff, "PUT", `/saved-views/${_id}`, terms))).toBe(403);
    }
    expect((await seen(people.owner)).map(({ name }) => name)).toEqual(["Open"]);
    expect(await status(call(formerStaff, "DELETE", `/saved-views/${_id}`))).toBe(200);
  });

  test("another business sees, changes and deletes none", async () => {
    const { _id } = await save(people.owner, { shared: true });
    const other = await newOffice();
    const { list: _list, ...terms } = view();
    expect(data(await staffCall(other, "GET", "/saved-views?list=payment_links"))).toEqual([]);
    expect(await status(staffCall(other, "PUT", `/saved-views/${_id}`, terms))).toBe(404);
    expect(await status(staffCall(other, "DELETE", `/saved-views/${_id}`))).toBe(404);
    expect(await seen(people.owner)).toHaveLength(1);
  });
});

test("a list's views come by name, the caller's own and the team's", async () => {
  await save(people.owner, { name: "b" });
  await save(people.staff, { name: "C", shared: true });
  await save(people.owner, { name: "A" });
  await save(people.owner, { name: "Other", list: "payments" });
  expect((await seen(people.owner)).map(({ name }) => name)).toEqual(["A", "b", "C"]);
});

const fill = (shared: boolean, count: number = savedViewLimits.views) =>
  pool().query(
    `insert into saved_views (business_id, id, user_id, list, name, filters, shared)
     select $1, md5($4 || n::text)::char(24), $2, 'payments', 'View ' || n, '{}', $3 from generate_series(1, $5::integer) n`,
    [office.businessId, office.userId, shared, newId(), count],
  );

test("of two views that are saved at once before the limit one is refused", async () => {
  await fill(false, savedViewLimits.views - 1);
  const client = await pool().connect();
  // The log of earlier requests may wait for the business too.
  const waiting = async () =>
    (
      await pool("long").query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query not like '%request_log%'",
      )
    ).rowCount;
  const saved: Promise<number>[] = [];
  try {
    await client.query("begin");
    // A new view waits for it too, since it refers to the business.
    await client.query("select from businesses where id = $1 for update", [office.businessId]);
    for (let tab = 0; tab < 2; tab++)
      saved.push(status(call(people.owner, "POST", "/saved-views", view())));
    await expect.poll(waiting, { timeout: 30_000, interval: 20 }).toBe(2);
  } finally {
    await client.query("rollback");
    client.release();
  }
  expect((await Promise.all(saved)).sort()).toEqual([200, 409]);
});

test("there is a limit for each person and for the team, and one does not take from the other", async () => {
  await fill(false);
  expect(await status(call(people.owner, "POST", "/saved-views", view()))).toBe(409);
  const { _id } = await save(people.owner, { shared: true });
  await save(people.staff);
  const { list: _list, ...terms } = view();
  expect(await status(call(people.owner, "PUT", `/saved-views/${_id}`, terms))).toBe(409);
  await fill(true);
  expect(await status(call(people.staff, "POST", "/saved-views", view({ shared: true })))).toBe(
    409,
  );
});

test("what is no filter, order or column of a list is refused on its field", async () => {
  const tooMany = Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`f${n}`, "x"]));
  for (const [change, field] of [
    [{ filters: { "no name": "x" } }, /^filters/],
    [{ filters: { __proto__: null, constructor_: "x".repeat(201) } }, /^filters/],
    [{ filters: tooMany }, /^filters/],
    [{ sort: "amount; drop" }, /^sort/],
    [{ columns: [] }, /^columns/],
    [{ columns: ["<b>"] }, /^columns/],
    [{ name: " " }, /^name/],
    [{ name: "x".repeat(51) }, /^name/],
    [{ list: "secrets" }, /^list/],
  ] as const) {
    const answer = await call(people.owner, "POST", "/saved-views", { ...view(), ...change });
    expect([change, answer.status]).toEqual([change, 422]);
    const { errors } = answer.body as { errors: Record<string, string[]> };
    expect(Object.keys(errors).some((name) => field.test(name))).toBe(true);
  }
});

test("an erasure deletes the views that name the payer, of everybody, and no other", async () => {
  const email = `ana.${newId().slice(-8)}+s@example.com`;
  await save(people.staff, { name: `For ${email}`.slice(0, 50) });
  await save(people.viewer, { filters: { email: email.toUpperCase() } });
  await save(people.owner, { filters: { q: `find ${email} soon` }, shared: true });
  await save(people.owner, { name: "Kept", filters: { email: `x${email}` } });
  const erased = await call(people.owner, "POST", "/payers/erase", { email });
  expect(erased.status, erased.text).toBe(200);
  const { rows } = await pool().query<{ name: string }>(
    "select name from saved_views where business_id = $1",
    [office.businessId],
  );
  expect(rows.map(({ name }) => name)).toEqual(["Kept"]);
});
