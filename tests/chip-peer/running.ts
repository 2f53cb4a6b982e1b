import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { provideEnv } from "@/lib/env";
import { ChipPeer } from "./peer";

/**
 * The peer for all tests of a file: where this process looks for CHIP, from before the first until after the last. No test leaves
 * a request or an answer that does not match the document of CHIP's interface.
 */
export function runningChip(): ChipPeer {
  const peer = new ChipPeer();
  beforeAll(async () => {
    await peer.start();
    provideEnv({ CHIP_API_URL: peer.origin });
  });
  afterEach(() => expect(peer.problems.splice(0)).toEqual([]));
  afterAll(async () => {
    provideEnv({ CHIP_API_URL: "" });
    await peer.stop();
  });
  return peer;
}
