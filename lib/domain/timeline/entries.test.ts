import { expect, test } from "vitest";
import type { EventRow } from "../events/rows";
import { ofEvent } from "./entries";

const disputed = (dispute_status: string): EventRow => ({
  businessId: 1001,
  mode: "live",
  id: "6740f5d59e3c6f70b2d81a46",
  seq: 1,
  xid: "1",
  type: "payment.disputed",
  objectId: "6740f5d49e3c6f70b2d81a45",
  data: { dispute_status },
  previous: null,
  actor: { kind: "gateway", id: "stripe" },
  mail: null,
  traceparent: null,
  createdAt: "2026-11-20T13:41:05.902177Z",
});

test.each([
  ["open", "Payment disputed"],
  ["won", "Dispute won"],
  ["lost", "Dispute lost"],
])("a dispute that is %s is called %s", (status, title) => {
  expect(ofEvent(disputed(status)).title).toBe(title);
});
