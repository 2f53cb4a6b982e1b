import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, outsideTransaction, pool, withTransaction } from "@/db/client";
import { insertBusiness } from "@/lib/domain/businesses/rows";
import { problemOf } from "@/lib/http/problems";
import { newId } from "@/lib/kernel/ids";

afterAll(closePool);

const business = (name: string) => ({ name, signingSecretTest: "x", signingSecretLive: "x" });
const namesLike = async (mark: string) => {
  const { rows } = await db.execute<{ name: string }>(
    sql`select name from businesses where name like ${`${mark}%`} order by name`,
  );
  return rows.map(({ name }) => name);
};

test("of many transactions, those whose backend is ended for idling or killed write nothing, the others everything", async () => {
  const mark = newId();
  const run = (number: number) =>
    withTransaction(async (tx) => {
      await insertBusiness(tx, business(`${mark} ${number} first`));
      const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      const alive = async () =>
        (await pool().query("select from pg_stat_activity where pid = $1", [rows[0]?.pid]))
          .rowCount;
      if (number % 3 === 0)
        await tx.execute(sql`set local idle_in_transaction_session_timeout = '20ms'`);
      if (number % 3 === 1) await pool().query("select pg_terminate_backend($1)", [rows[0]?.pid]);
      if (number % 3 !== 2) await expect.poll(alive).toBe(0);
      await insertBusiness(tx, business(`${mark} ${number} second`));
    }).then(
      () => "committed",
      (error: unknown) => problemOf(error, "a test").status,
    );
  const numbers = Array.from({ length: 24 }, (_, number) => number);
  // Four at a time: each needs a second connection to look at its own from outside.
  const outcomes: Array<string | number> = [];
  for (let from = 0; from < numbers.length; from += 4)
    outcomes.push(...(await Promise.all(numbers.slice(from, from + 4).map(run))));
  expect(outcomes).toEqual(numbers.map((number) => (number % 3 === 2 ? "committed" : 503)));
  const kept = numbers
    .filter((number) => number % 3 === 2)
    .flatMap((number) => [`${mark} ${number} first`, `${mark} ${number} second`]);
  expect(await namesLike(mark)).toEqual(kept.sort());
});

test("a pool with nothing free refuses after a while instead of waiting for ever, and serves again afterwards", async () => {
  const held = await Promise.all(
    Array.from({ length: pool().options.max ?? 10 }, () => pool().connect()),
  );
  const refused = await db
    .execute(sql`select 1`)
    .catch((error: unknown) => problemOf(error, "a test"));
  expect(refused).toMatchObject({
    status: 503,
    options: { headers: { "retry-after": expect.any(String) } },
  });
  for (const client of held) client.release();
  expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
});

test("a commit on a connection that was lost is never reported as done", async () => {
  const mark = newId();
  const outcome = await withTransaction(async (tx) => {
    await insertBusiness(tx, business(`${mark} lost`));
    const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await pool().query("select pg_terminate_backend($1)", [rows[0]?.pid]);
  }).catch((error: unknown) => problemOf(error, "a test").status);
  expect(outcome).toBe(503);
  expect(await namesLike(mark)).toEqual([]);
});

test("a statement for the pool is refused inside a transaction, and not once that has ended or where it is not awaited", async () => {
  const one = () => db.execute(sql`select 1 as one`).then(({ rows }) => rows);
  const refused = expect.stringContaining("inside a transaction");
  await expect(withTransaction(one)).rejects.toHaveProperty("cause.message", refused);
  const ended = Promise.withResolvers<void>();
  const started: Promise<unknown>[] = [];
  await withTransaction(async () => {
    started.push(
      outsideTransaction(one),
      ended.promise.then(() => one()),
    );
  });
  ended.resolve();
  expect(await Promise.all(started)).toEqual([[{ one: 1 }], [{ one: 1 }]]);
});
