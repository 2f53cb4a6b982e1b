import { afterAll, beforeAll } from "vitest";
import { provideEnv } from "@/lib/env";
import { ChipPeer } from "./peer";

/** The peer for all tests of a file: where this process looks for CHIP, from before the first until after the last. */
export function runningChip(): ChipPeer {
  const peer = new ChipPeer();
  beforeAll(async () => {
    await peer.start();
    provideEnv({ CHIP_API_URL: peer.origin });
  });
  afterAll(async () => {
    provideEnv({ CHIP_API_URL: "" });
    await peer.stop();
  });
  return peer;
}
