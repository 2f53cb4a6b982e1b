import { describe, expect, test } from "vitest";
import { pool } from "@/db/client";
import { simulatorGateway as gateway } from "./adapter";
import { press } from "./bank";
import { journalOf, saveScriptedMethod, script, setMethodBehaviour, setTimes } from "./scripting";
import { chargeOf, connect, harness, openPage, receiveCallbacks } from "./harness";

receiveCallbacks();

describe("answers that are late, lost or wrong", () => {
  test("a method that never answers: unknown within the limit, no callback, and the money found", async () => {
    const connection = await connect();
    await setTimes(connection, { answerLimitMs: 30 });
    const charge = chargeOf(await saveScriptedMethod(connection, "never"));
    expect(await gateway.charge(connection, charge)).toEqual({
      kind: "unknown",
      reason: "The gateway did not answer in time.",
    });
    expect(await harness.callbacks(connection)).toEqual([]);
    expect((await gateway.find(connection, charge.reference)).kind).toBe("succeeded");
    expect((await gateway.charge(connection, charge)).kind).toBe("succeeded");
  });

  test("a late answer comes when there is time for it, and is unknown when there is not", async () => {
    const connection = await connect();
    const methodId = await saveScriptedMethod(connection);
    await setMethodBehaviour(connection.id, methodId, "late", { lateMs: 20 });
    expect((await gateway.charge(connection, chargeOf(methodId))).kind).toBe("succeeded");
    await setTimes(connection, { answerLimitMs: 10 });
    expect((await gateway.charge(connection, chargeOf(methodId))).kind).toBe("unknown");
  });

  test("a 5xx does nothing; a break after the work leaves it done; scripts run out", async () => {
    const connection = await connect();
    const methodId = await saveScriptedMethod(connection);
    await script(connection.id, "charge", "error", { times: 2 });
    const charge = chargeOf(methodId);
    expect((await gateway.charge(connection, charge)).kind).toBe("unknown");
    expect((await gateway.charge(connection, charge)).kind).toBe("unknown");
    expect(await gateway.find(connection, charge.reference)).toEqual({ kind: "nothing" });
    expect((await gateway.charge(connection, charge)).kind).toBe("succeeded");
    await setTimes(connection, { answerLimitMs: 20 });
    await script(connection.id, "charge", "hang");
    const hung = chargeOf(methodId);
    expect((await gateway.charge(connection, hung)).kind).toBe("unknown");
    expect(await journalOf(connection.id, hung.reference)).toHaveLength(1);
  });

  test("a script for one reference leaves the others alone", async () => {
    const connection = await connect();
    const [first, second] = [await openPage(connection), await openPage(connection)];
    await script(connection.id, "find", "error", { reference: first.reference });
    expect((await gateway.find(connection, second.reference)).kind).toBe("open");
    expect((await gateway.find(connection, first.reference)).kind).toBe("unknown");
    expect((await gateway.find(connection, first.reference)).kind).toBe("open");
  });

  test("of calls at once a script is for as many as it says", async () => {
    const connection = await connect();
    const { reference } = await openPage(connection);
    await script(connection.id, "find", "error");
    const client = await pool().connect();
    await client.query("begin");
    await client.query("select from simulator.scripts where connection_id = $1 for update", [
      connection.id,
    ]);
    const finding = Promise.all([1, 2, 3].map(() => gateway.find(connection, reference)));
    try {
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await expect
        .poll(async () => (await pool().query(waiting)).rowCount, { timeout: 60_000 })
        .toBe(3);
    } finally {
      await client.query("rollback");
      client.release();
    }
    const kinds = (await finding).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["open", "open", "unknown"]);
  });

  test("a wrong amount or currency is answered though the journal is right", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    await press(page, "approve", 0);
    await script(connection.id, "find", "wrong_amount");
    expect(await gateway.find(connection, reference)).toMatchObject({
      kind: "succeeded",
      amount: 1_001,
      currency: "MYR",
    });
    await script(connection.id, "find", "wrong_currency");
    expect(await gateway.find(connection, reference)).toMatchObject({
      kind: "succeeded",
      amount: 1_000,
      currency: "XAF",
    });
    expect(await gateway.find(connection, reference)).toMatchObject({
      kind: "succeeded",
      amount: 1_000,
      currency: "MYR",
      fee: 20,
    });
    expect(await journalOf(connection.id)).toMatchObject([
      { amount: 1_000, currency: "MYR", fee: 20 },
    ]);
  });

  test("a lost answer sends no callback and is unknown for two look-ups", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    await press(page, "lose_answer", 0);
    expect(await harness.callbacks(connection)).toEqual([]);
    const kinds: string[] = [];
    for (let count = 0; count < 3; count++)
      kinds.push((await gateway.find(connection, reference)).kind);
    expect(kinds).toEqual(["unknown", "unknown", "succeeded"]);
  });
});
