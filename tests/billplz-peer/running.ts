import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { provideEnv } from "@/lib/env";
import { BillplzPeer } from "./peer";

/**
 * The peer for all tests of a file: where this process looks for Billplz, from before the first until after the last. No test leaves
 * a request or an answer that does not match the document of Billplz's interface.
 */
export function runningBillplz(): BillplzPeer {
  const peer = new BillplzPeer();
  beforeAll(async () => {
    await peer.start();
    provideEnv({
      BILLPLZ_API_URL: peer.origins.live,
      BILLPLZ_SANDBOX_API_URL: peer.origins.test,
    });
  });
  afterEach(() => expect(peer.problems.splice(0)).toEqual([]));
  afterAll(async () => {
    provideEnv({ BILLPLZ_API_URL: "", BILLPLZ_SANDBOX_API_URL: "" });
    await peer.stop();
  });
  return peer;
}
