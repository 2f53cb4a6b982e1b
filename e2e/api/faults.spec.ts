import type { PaymentLink } from "@/lib/contract/payment-links";
import { expect, test } from "../fixtures";
import { besides, crashDatabase, type Service, startDatabase, startService } from "../service";
import { linkInput } from "../shop";

// One install for all, hurt by one test after the other.
test.describe.configure({ mode: "default" });

let service: Service;
test.beforeAll(async () => {
  test.setTimeout(90_000);
  service = await startService({ LOG_LEVEL: "fatal" });
});
test.afterAll(() => service?.stop());

const health = () => fetch(`${service.url}/api/health`).then(({ status }) => status);

type Tally = { created: Map<string, string>; tried: string[]; wrong: string[] };

function allow(
  tally: Tally,
  what: string,
  status: number,
  headers: Headers,
  right: readonly number[],
): boolean {
  if (right.includes(status)) return true;
  if (status !== 503 || headers.get("retry-after") === null) tally.wrong.push(`${what}: ${status}`);
  return false;
}

/** Creates a link under its own key, reads it and pays it as a payer would, until stopped. After a 503 it waits. */
async function use(
  tally: Tally,
  name: string,
  over: () => boolean,
  between?: () => Promise<unknown>,
): Promise<void> {
  for (let round = 0; !over(); round++) {
    const key = `${name}-${round}`;
    tally.tried.push(key);
    const made = await service.demo.api.call(
      "POST",
      "/payment-links",
      { ...linkInput, reference: key },
      { "idempotency-key": key },
    );
    if (allow(tally, "create", made.status, made.headers, [200])) {
      const link = made.body.data as PaymentLink;
      tally.created.set(key, link._id);
      const read = await service.demo.api.call("GET", `/payment-links/${link._id}`);
      allow(tally, "get", read.status, read.headers, [200]);
      await pay(tally, link._id);
    } else await expect.poll(health, { timeout: 20_000 }).toBe(200);
    await between?.();
  }
}

async function pay(tally: Tally, id: string): Promise<void> {
  const post = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields) });
  const begun = await post(`${service.url}/pay`, { id, version: "1" });
  const hosted = begun.headers.get("location");
  // A provider that gave no answer: the simulator had lost its connection.
  if (begun.status === 200 && (await begun.text()).includes("isn’t responding right now")) return;
  if (!allow(tally, "pay", begun.status, begun.headers, [303]) || !hosted) return;
  const pressed = await post(hosted, { outcome: "approve" }).catch(() => undefined);
  const back = pressed?.headers.get("location");
  if (!back) return;
  const returned = await fetch(back, { redirect: "manual" });
  allow(tally, "return", returned.status, returned.headers, [303]);
}

/** What must hold after any fault: what was acknowledged is there, a key made one link, and money moved at most once for each and as written. */
async function expectNothingLost(tally: Tally): Promise<void> {
  expect(tally.wrong).toEqual([]);
  await expect.poll(health).toBe(200);
  // A run that the fault has killed holds its key until its lease ends, within a minute: only this waiting is left out.
  await besides(service, (client) =>
    client.query("update idempotency_keys set locked_until = now() where answer is null"),
  );
  for (const key of tally.tried) {
    const again = await service.demo.api.ok<PaymentLink>(
      "POST",
      "/payment-links",
      { ...linkInput, reference: key },
      { "idempotency-key": key },
    );
    if (tally.created.has(key)) expect(again._id).toBe(tally.created.get(key));
  }
  await besides(service, async (client) => {
    const { rows: links } = await client.query(
      "select reference, count(*)::int as n from payment_links where reference = any($1) group by 1",
      [tally.tried],
    );
    expect(links).toHaveLength(tally.tried.length);
    expect(links.filter(({ n }) => n !== 1)).toEqual([]);
    // The worker finishes open attempts; only their waits are shortened.
    await expect(async () => {
      await client.query(
        "update payments set next_check_at = now(), leased_until = null where status in ('submitting', 'requires_action', 'unknown', 'pending')",
      );
      const { rows } = await client.query(`
        select j.charges, p.succeeded, l.paid from
          (select count(*)::int as charges, count(distinct reference)::int as once from simulator.journal where type = 'charge') j,
          (select count(*)::int as succeeded from payments where status = 'succeeded' and flags = '{}') p,
          (select count(*)::int as paid from payment_links where status = 'Paid') l`);
      expect(rows[0].succeeded).toBe(rows[0].charges);
      expect(rows[0].paid).toBe(rows[0].charges);
    }).toPass({ timeout: 30_000 });
    const { rows: twice } = await client.query(
      "select payment_link_id from payments where status = 'succeeded' group by 1 having count(*) > 1",
    );
    expect(twice).toEqual([]);
  });
}

const newTally = (): Tally => ({ created: new Map(), tried: [], wrong: [] });

test("Postgres dies again and again under load: 200 or 503, nothing acknowledged is lost, and the same processes go on", async () => {
  test.setTimeout(120_000);
  const before = [service.process("web"), service.process("worker")];
  const tally = newTally();
  let over = false;
  const users = ["a", "b", "c", "d"].map((name) => use(tally, `crash-${name}`, () => over));
  for (let round = 0; round < 3; round++) {
    const enough = tally.created.size + 4;
    await expect.poll(() => tally.created.size, { timeout: 20_000 }).toBeGreaterThan(enough);
    await crashDatabase(service);
    // In the last round only the install itself starts it.
    if (round < 2) await startDatabase(service);
    await expect.poll(health, { timeout: 20_000 }).toBe(200);
  }
  over = true;
  await Promise.all(users);
  await expectNothingLost(tally);
  expect([service.process("web"), service.process("worker")]).toEqual(before);
});

const killTwo =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by random() limit 2";

test("connections killed at random: only what ran on them fails", async () => {
  test.setTimeout(120_000);
  const tally = newTally();
  await besides(service, async (client) => {
    let last: Promise<unknown> = Promise.resolve();
    const kill = () => (last = last.then(() => client.query(killTwo)));
    await Promise.all(
      ["a", "b", "c", "d"].map((name) =>
        use(tally, `kill-${name}`, () => tally.created.size > 25, kill),
      ),
    );
  });
  await expectNothingLost(tally);
});

test("when all connections are taken, further calls are 503 soon, and all is well once they are free", async () => {
  const { api } = service.demo;
  const link = await api.ok<PaymentLink>("POST", "/payment-links", linkInput);
  const statuses = new Set<number>();
  let locked = true;
  // Each another one: equal lists share a connection.
  const list = async (_: unknown, at: number) => {
    do statuses.add((await api.call("GET", `/payment-links?reference=${at}`)).status);
    while (locked);
  };
  let lists: Array<Promise<void>> = [];
  await besides(service, async (client) => {
    await client.query("begin");
    await client.query("lock table payment_links in access exclusive mode");
    // Always more of them than connections, so that the next call waits behind some of them.
    lists = Array.from({ length: 60 }, list);
    await expect(async () => {
      const refused = await api.call("GET", "/packages");
      expect([
        refused.status,
        refused.body.code,
        Number(refused.headers.get("retry-after")) > 0,
      ]).toEqual([503, "unavailable", true]);
    }).toPass();
    expect(await health()).toBe(503);
    locked = false;
    await client.query("commit");
  });
  await Promise.all(lists);
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  await expect.poll(health).toBe(200);
  expect((await api.call("GET", `/payment-links/${link._id}`)).status).toBe(200);
});
