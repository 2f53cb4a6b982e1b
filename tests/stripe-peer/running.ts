import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "./peer";

/**
 * The peer for all tests of a file: where this process looks for Stripe, from before the first until after the last. No test leaves
 * a request or an answer that does not match the document of its interface.
 */
export function runningPeer(): StripePeer {
  const peer = new StripePeer();
  beforeAll(async () => {
    await peer.start();
    provideEnv({ STRIPE_API_URL: peer.origin });
  });
  afterEach(() => expect(peer.problems.splice(0)).toEqual([]));
  afterAll(async () => {
    provideEnv({ STRIPE_API_URL: "" });
    await peer.stop();
  });
  return peer;
}
