import { afterAll, beforeAll } from "vitest";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "./peer";

/** The peer for all tests of a file: where this process looks for Stripe, from before the first until after the last. */
export function runningPeer(): StripePeer {
  const peer = new StripePeer();
  beforeAll(async () => {
    await peer.start();
    provideEnv({ STRIPE_API_URL: peer.origin });
  });
  afterAll(async () => {
    provideEnv({ STRIPE_API_URL: "" });
    await peer.stop();
  });
  return peer;
}
