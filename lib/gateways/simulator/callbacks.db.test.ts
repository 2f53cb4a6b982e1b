import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { db } from "@/db/client";
import { simulatorCallbacks } from "@/db/schema/simulator";
import { newId, newToken } from "@/lib/kernel/ids";
import { simulatorGateway as gateway } from "./adapter";
import { press } from "./bank";
import { claimOf, runAll } from "@/tests/run-once";
import { closeCallback, type DueCallback, dueCallbacks } from "./callback-rows";
import { defineCallbacks } from "./job";
import { hurry, journalOf, resendCallbacks, script } from "./scripting";
import {
  answers,
  baseUrl,
  connect,
  harness,
  openPage,
  pass,
  receiveCallbacks,
  received,
} from "./harness";

receiveCallbacks();

describe("callbacks", () => {
  test("one that is not accepted is sent again, the same bytes under a new signature, until it is", async () => {
    const connection = await connect();
    answers.set(connection.id, [503, 302]);
    const { page } = await openPage(connection);
    await press(page, "approve", 0);
    const reports: number[] = [];
    for (let count = 0; count < 4; count++) {
      await pass(connection);
      reports.push(received.get(connection.id)?.length ?? 0);
      await hurry(connection.id);
    }
    expect(reports).toEqual([1, 2, 3, 3]);
    const sent = received.get(connection.id) ?? [];
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ raw }) => Buffer.from(raw).toString())).size).toBe(1);
    for (const { raw, headers } of sent)
      expect(await gateway.verifyCallback(connection, raw, headers)).not.toBeNull();
  });

  test("several clockworks at once settle a payment once and send each callback once", async () => {
    const connection = await connect();
    for (let count = 0; count < 10; count++)
      await press((await openPage(connection)).page, "approve_later", 0);
    await hurry(connection.id);
    await Promise.all(Array.from({ length: 6 }, () => pass(connection)));
    await pass(connection);
    expect(await journalOf(connection.id)).toHaveLength(10);
    const sent = await Promise.all(
      (received.get(connection.id) ?? []).map(({ raw, headers }) =>
        gateway.verifyCallback(connection, raw, headers),
      ),
    );
    expect(sent).toHaveLength(20);
    expect(new Set(sent.map((callback) => callback?.eventId)).size).toBe(20);
  });

  test("senders at once share what is due: each callback is sent once", async () => {
    const connection = await connect();
    for (let count = 0; count < 10; count++)
      await press((await openPage(connection)).page, "approve", 0);
    await Promise.all(
      Array.from({ length: 8 }, () => runAll(defineCallbacks(baseUrl), connection.id)),
    );
    expect(received.get(connection.id)).toHaveLength(10);
  });

  test("a sender that stalled closes no callback that another one has claimed since", async () => {
    const connection = await connect();
    await press((await openPage(connection)).page, "approve", 0);
    const ofConnection = eq(simulatorCallbacks.connectionId, connection.id);
    const [stalled] = (await claimOf(dueCallbacks, connection.id)) as [DueCallback];
    await db
      .update(simulatorCallbacks)
      .set({ leasedUntil: sql`now()` as never })
      .where(ofConnection);
    const [taken] = (await claimOf(dueCallbacks, connection.id)) as [DueCallback];
    const state = async () =>
      (await db.select().from(simulatorCallbacks).where(ofConnection)).map(
        ({ tries, deliveredAt }) => [tries, deliveredAt !== null],
      );
    await closeCallback(stalled);
    expect(await state()).toEqual([[0, false]]);
    await closeCallback(taken);
    expect(await state()).toEqual([[1, true]]);
  });

  test("they can be dropped, delayed and repeated on purpose", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    await script(connection.id, "callback", "drop", { reference });
    await press(page, "approve", 0);
    expect(await harness.callbacks(connection)).toEqual([]);
    const other = await openPage(connection);
    await script(connection.id, "callback", "late", { delayMs: 60_000 });
    await press(other.page, "approve", 0);
    expect(await harness.callbacks(connection)).toEqual([]);
    await hurry(connection.id);
    expect(await harness.callbacks(connection)).toHaveLength(1);
    expect(await resendCallbacks(connection.id, other.reference)).toBe(1);
    expect(await harness.callbacks(connection)).toHaveLength(2);
  });

  test("after the secret is changed they are signed with the new one", async () => {
    const connection = await connect();
    const { page } = await openPage(connection);
    const changed = { ...connection, secret: newToken() };
    await gateway.find(changed, newId());
    await press(page, "approve", 0);
    const sent = (await harness.callbacks(connection))[0];
    expect(sent && (await gateway.verifyCallback(changed, sent.raw, sent.headers))).not.toBeNull();
    expect(sent && (await gateway.verifyCallback(connection, sent.raw, sent.headers))).toBeNull();
  });
});
