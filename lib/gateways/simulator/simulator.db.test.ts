import { describe, expect, test } from "vitest";
import { withTransaction } from "@/db/client";
import { newId } from "@/lib/kernel/ids";
import { gatewayContract } from "../contract";
import { gatewayFor } from "../registry";
import { simulatorGateway as gateway } from "./adapter";
import { connect, harness, pass, receiveCallbacks } from "./harness";

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

  test("it is registered under its name, and no other is", () => {
    expect(gatewayFor("simulator")?.name).toBe(gateway.name);
    expect(gatewayFor("constructor")).toBeUndefined();
  });
});
