import { createHmac } from "node:crypto";
import { newToken } from "@/lib/kernel/ids";
import { gatewayContract } from "../contract";
import type { SentCallback } from "../contract-harness";
import { readForm } from "../form-body";
import type { Connection } from "../gateway";
import { basicSimulator, signForm } from "./basic";
import { journalOf } from "./scripting";
import { connect, harness, receiveCallbacks } from "./harness";

receiveCallbacks();

const formType = { "content-type": "application/x-www-form-urlencoded" };
const asForm = (body: string): SentCallback => ({
  raw: new TextEncoder().encode(body),
  headers: new Headers(formType),
});

/** The simulator's JSON callback as this gateway sends it. */
function formOf({ callbackSecret }: Connection, { raw }: SentCallback): SentCallback {
  const body = JSON.parse(new TextDecoder().decode(raw)) as Record<string, string>;
  return asForm(signForm(new Map(Object.entries(body)), callbackSecret ?? "", Date.now()));
}

gatewayContract("simulator with a small API", {
  ...harness,
  gateway: basicSimulator,
  refunds: false,
  connect: async () => {
    const secret = `test${newToken()}`;
    const callbackSecret = createHmac("sha256", secret).update("callbacks").digest("hex");
    return { ...(await connect()), secret, callbackSecret };
  },
  callbacks: async (connection) =>
    (await harness.callbacks(connection)).map((sent) => formOf(connection, sent)),
  books: async (connection, reference) => {
    const own = (await journalOf(connection.id)).filter(
      (entry) => entry.reference === reference && entry.type === "charge",
    );
    return { taken: own.map(({ amount }) => amount), givenBack: [] };
  },
  signedAt: ({ callbackSecret }, raw, at) => {
    const fields = readForm(raw) ?? new Map<string, string>();
    fields.delete("signature");
    return asForm(signForm(fields, callbackSecret ?? "", at));
  },
  withSignature: ({ raw }, change) => {
    const fields = new URLSearchParams(new TextDecoder().decode(raw));
    const signature = change(fields.get("signature") ?? "");
    if (signature === "") fields.delete("signature");
    else fields.set("signature", signature);
    return asForm(fields.toString());
  },
});
