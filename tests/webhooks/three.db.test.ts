import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { create } from "@/lib/domain/payment-links/create";
import { eventsOf, failsAtTimes, statesOf, takes, tellThem } from "@/scripts/prove/parts/webhooks";
import { runnerOf, until } from "./setting";

afterAll(closePool);

test("of three endpoints one hangs and one fails at times: all get every event, and the healthy one waits for neither", async () => {
  let hangs = true;
  const { ctx, receivers } = await tellThem({
    healthy: takes,
    failing: failsAtTimes(0.3),
    hanging: (answer) => (hangs ? undefined : answer(200)),
  });
  const [healthy, , hanging] = receivers;
  const count = 300;
  for (let made = 0; made < count; made++)
    await create(ctx, {
      email: "payer@example.com",
      currency: "MYR",
      amount: 1_250,
      title: "Night Market",
      send_email: false,
    });
  const runner = runnerOf(
    ctx,
    Array.from({ length: 9 }, () => 0.2),
  );
  await until(runner, () => healthy?.taken.size, count);
  expect(hanging?.taken.size).toBe(0);
  hangs = false;
  await until(runner, () => statesOf(ctx), { delivered: 3 * count });
  const events = [...(await eventsOf(ctx)).keys()];
  expect(events).toHaveLength(count);
  for (const receiver of receivers) {
    expect(events.filter((id) => !receiver.taken.has(id))).toEqual([]);
    expect([receiver.forged, receiver.changed]).toEqual([0, 0]);
    expect(receiver.longest).toBeLessThanOrEqual(4);
    receiver.close();
  }
  expect(healthy?.requests).toBe(count);
}, 90_000);
