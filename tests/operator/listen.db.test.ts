import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closePool, withTransaction } from "@/db/client";
import { placesIn } from "@/db/embedded/folder";
import type { Ctx } from "@/lib/domain/context";
import { insertEvent } from "@/lib/domain/events/rows";
import { create as createPackage } from "@/lib/domain/packages/create";
import { givenTexts, provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { apiClient } from "@/lib/operator/api-client";
import { forwardEvents } from "@/lib/operator/listen";
import { scenarios, triggerEvent } from "@/lib/operator/trigger";
import { writeAddressFile } from "@/lib/supervisor/running";
import { newTenant } from "../contract/setting";
import { serveRoutes } from "../served";
import { newSecret } from "@/lib/domain/webhooks/secrets";
import { verified } from "../webhooks/receiver";
import { openReceiver } from "../webhooks/world";

let served: Awaited<ReturnType<typeof serveRoutes>>;
beforeAll(async () => {
  served = await serveRoutes();
});
afterAll(async () => {
  await served.close();
  await closePool();
});

/** Listens from now on with a receiver on this machine; `stop` waits until it has ended. */
async function listening(key: string) {
  const receiver = await openReceiver();
  const { secret } = newSecret();
  const printed: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) =>
    Boolean(printed.push(String(text))),
  );
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const stopping = new AbortController();
  const client = apiClient(key, served.origin);
  const ended = forwardEvents(client, receiver.url, secret, stopping.signal, 20);
  await expect.poll(() => printed.join("")).toContain(secret);
  return {
    client,
    receiver,
    secret,
    printed,
    stop: async () => {
      stopping.abort();
      await ended;
      vi.restoreAllMocks();
    },
  };
}

test("listen forwards a triggered payment, signed and as the log has it, and nothing from before or of live mode", async () => {
  const { keys } = await newTenant();
  await triggerEvent(apiClient(keys.test, served.origin), "package.created", 20);
  const { client, receiver, secret, printed, stop } = await listening(keys.test);
  const event = await triggerEvent(client, "payment_link.paid", 20);
  const bodies = () => receiver.received.map((one) => verified(secret, one));
  const types = () => bodies().map(({ type }) => type);
  // Both events of the payment have one time, so either may come first.
  await expect
    .poll(types, { timeout: 60_000 })
    .toEqual(
      expect.arrayContaining(["payment_link.created", "payment.succeeded", "payment_link.paid"]),
    );
  await stop();
  expect(bodies().find(({ _id }) => _id === event._id)).toEqual(event);
  expect(types()).not.toContain("package.created");
  expect(event).toMatchObject({ mode: "test", data: { paid: true } });
  expect(printed.join("")).toContain(`payment_link.paid  ${event._id}  200`);
});

const newPackage = (ctx: Ctx, name: string) =>
  createPackage(ctx, {
    name,
    amount: 1_250,
    currency: "MYR",
    frequency: "yearly",
    date_charge_start: "2999-01-31",
  });

test("an event that commits after the start is forwarded, although its transaction is older than the newest event", async () => {
  const { ctx, keys } = await newTenant();
  const named = (name: string) => newPackage(ctx.test, name);
  const sample = await named("sample");
  const written = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<void>();
  const late = withTransaction(async (tx) => {
    const pack = { ...sample, _id: newId(), name: "late" };
    await insertEvent(ctx.test, tx, { type: "package.created", objectId: pack._id, data: pack });
    written.resolve();
    await kept.promise;
  });
  await written.promise;
  await named("early");
  const { receiver, secret, stop } = await listening(keys.test);
  kept.resolve();
  await late;
  await named("last");
  const names = () =>
    receiver.received.map((one) => (verified(secret, one).data as { name: string }).name);
  await expect.poll(names, { timeout: 60_000 }).toContain("last");
  await stop();
  expect(names().sort()).toEqual(["last", "late"]);
});

/** Writes events of an hour ago at the time of a test clock, if one is given. */
async function writtenBefore(ctx: Ctx, count: number, now?: string): Promise<void> {
  const sample = await newPackage(ctx, "sample");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
  try {
    const at = { ...ctx, now: now ?? new Date().toISOString() };
    await withTransaction(async (tx) => {
      for (let left = count; left > 0; left--) {
        const data = { ...sample, _id: newId() };
        await insertEvent(at, tx, { type: "package.created", objectId: data._id, data });
      }
    });
  } finally {
    vi.useRealTimers();
  }
}

test("events of a test clock in the past that end the log are not forwarded as new", async () => {
  const { ctx, keys } = await newTenant();
  await writtenBefore(ctx.test, 1);
  await writtenBefore(ctx.test, 110, "2024-01-31T00:00:00Z");
  const { client, receiver, secret, stop } = await listening(keys.test);
  const event = await triggerEvent(client, "package.created", 20);
  const ids = () => receiver.received.map((one) => verified(secret, one)._id);
  await expect.poll(ids, { timeout: 60_000 }).toContain(event._id);
  await stop();
  expect(ids()).toEqual([event._id]);
});

test("an event that is triggered is found although a test clock has made later ones", async () => {
  const { ctx, keys } = await newTenant();
  await writtenBefore(ctx.test, 1, "2999-01-31T00:00:00Z");
  const event = await triggerEvent(apiClient(keys.test, served.origin), "package.created", 20);
  expect(event).toMatchObject({ data: { name: "Triggered package" } });
});

test("an event that the program refuses is printed with its answer, and the next ones still come", async () => {
  const { keys } = await newTenant();
  const { client, receiver, printed, stop } = await listening(keys.test);
  receiver.behave((_, response, __) => void response.writeHead(500).end());
  const first = await triggerEvent(client, "package.created", 20);
  await expect.poll(() => printed.join(""), { timeout: 60_000 }).toContain(`${first._id}  500`);
  const second = await triggerEvent(client, "package.created", 20);
  await expect.poll(() => printed.join(""), { timeout: 60_000 }).toContain(`${second._id}  500`);
  await stop();
  expect(receiver.received.map(({ id }) => id)).toEqual([first._id, second._id]);
});

test("every event that can be triggered happens", { timeout: 600_000 }, async () => {
  const { keys } = await newTenant();
  const client = apiClient(keys.test, served.origin);
  for (const type of Object.keys(scenarios))
    expect(await triggerEvent(client, type, 20)).toMatchObject({ type, mode: "test" });
});

test("without --url the install is called where it runs, whatever PORT its start was given", async () => {
  const { keys } = await newTenant();
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-listen-"));
  const settings = givenTexts(["KUTIP_DATA_DIR", "BASE_URL", "PORT"]);
  provideEnv({ KUTIP_DATA_DIR: folder, BASE_URL: "", PORT: "" });
  try {
    writeAddressFile(placesIn(folder).running, served.origin);
    const client = apiClient(keys.test);
    expect(await triggerEvent(client, "package.created", 20)).toMatchObject({ mode: "test" });
    provideEnv({ BASE_URL: "https://pay.example.com" });
    expect(apiClient(keys.test).origin).toBe("https://pay.example.com");
  } finally {
    provideEnv(settings);
    rmSync(folder, { recursive: true });
  }
});

test("a key of live mode and an unknown event are refused before anything is done", async () => {
  const { keys } = await newTenant();
  expect(() => apiClient(keys.live, served.origin)).toThrow("sk_test_");
  const client = apiClient(keys.test, served.origin);
  await expect(triggerEvent(client, "payment_link.exploded")).rejects.toThrow("name one of these");
  await expect(
    triggerEvent(apiClient("sk_test_unknown", served.origin), "package.created"),
  ).rejects.toThrow("Unauthenticated.");
});
