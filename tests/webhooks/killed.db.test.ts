import { once } from "node:events";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { newTenant } from "../contract/setting";
import { program } from "../money/killed";
import { newReceiver } from "./receiver";
import { runnerOf, endpointAt, happen, leasesEnd, states, until } from "./setting";

const child = program("courier-child", "tests/webhooks");
beforeAll(child.make);
afterAll(async () => {
  await child.remove();
  await closePool();
});

test.each([1, 3, 9, 40])(
  "of a worker killed at request %i nothing is lost, and only what has no known outcome comes twice",
  async (at) => {
    const ctx = (await newTenant()).ctx.test;
    const killed = Promise.withResolvers<void>();
    const receiver = await newReceiver();
    await endpointAt(ctx, receiver.url);
    const ids = await happen(ctx, 60);
    const worker = child.start(String(ctx.businessId));
    const gone = once(worker, "exit");
    receiver.behave((_, response) => {
      if (receiver.received.length === at) {
        worker.kill("SIGKILL");
        killed.resolve();
      }
      // From the kill on no client gets an answer.
      if (receiver.received.length < at) response.writeHead(200).end();
    });
    await killed.promise;
    await gone;
    const { rows } = await db.execute<{ id: string }>(
      sql`select event_id as id from webhook_deliveries where business_id = ${ctx.businessId} and attempts > 0`,
    );
    const known = rows.map(({ id }) => id);
    receiver.behave((_, response) => void response.writeHead(200).end());
    await leasesEnd(ctx);
    await until(runnerOf(ctx), () => states(ctx), { delivered: 60 });
    const counts = new Map<string, number>();
    for (const { id } of receiver.received) counts.set(id, (counts.get(id) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([...ids].sort());
    const twice = [...counts].filter(([, times]) => times > 1).map(([id]) => id);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(2);
    expect(twice.filter((id) => known.includes(id))).toEqual([]);
    expect([...receiver.bodies().values()].every((bodies) => bodies.size === 1)).toBe(true);
    await receiver.close();
  },
);
