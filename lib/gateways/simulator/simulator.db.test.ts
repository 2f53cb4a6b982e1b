import { describe, expect, test } from "vitest";
import { withTransaction } from "@/db/client";
import { newId } from "@/lib/kernel/ids";
import { gatewayContract } from "../contract";
import { gatewayFor } from "../registry";
import { payer } from "../contract-requests";
import { simulatorGateway as gateway } from "./adapter";
import { connect, harness, pass, receiveCallbacks } from "./harness";
import { journalOf, saveScriptedMethod } from "./scripting";

receiveCallbacks();

gatewayContract("simulator", harness);

describe("the house rules", () => {
  test("nothing is asked of it with a transaction open", async () => {
    const connection = await connect();
    await expect(withTransaction(() => gateway.find(connection, newId()))).rejects.toThrow(
      "inside a transaction",
    );
    await expect(withTransaction(() => pass(connection))).rejects.toThrow("inside");
  });

  test("a second key for the same reference takes the money again, and a look-up finds the first charge", async () => {
    const connection = await connect();
    const methodId = await saveScriptedMethod(connection);
    const reference = newId();
    const asked = { reference, amount: 1_250, currency: "MYR", title: "Once", methodId, payer };
    const [first, second] = [
      await gateway.charge(connection, { ...asked, key: newId() }),
      await gateway.charge(connection, { ...asked, key: newId() }),
    ];
    expect([first, second].map(({ kind }) => kind)).toEqual(["succeeded", "succeeded"]);
    const journal = await journalOf(connection.id, reference);
    expect(journal.map(({ type, amount }) => [type, amount])).toEqual([
      ["charge", 1_250],
      ["charge", 1_250],
    ]);
    expect(await gateway.find(connection, reference)).toEqual(first);
  });

  test("it is registered under its name, and no other is", () => {
    expect(gatewayFor("simulator")?.name).toBe(gateway.name);
    expect(gatewayFor("constructor")).toBeUndefined();
  });
});
