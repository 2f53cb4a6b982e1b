import { AsyncLocalStorage } from "node:async_hooks";
import type { Mock } from "vitest";

/**
 * Does `act` right before the next call of a spied function goes on: what another process does while this one is slow. It is outside of the
 * transaction that the call may be in.
 */
export function beforeNext(
  call: (...asked: never[]) => Promise<unknown>,
  act: () => Promise<unknown>,
): void {
  const outside = AsyncLocalStorage.snapshot();
  const spied = call as unknown as Mock<(...asked: unknown[]) => Promise<unknown>>;
  spied.mockImplementationOnce(async (...asked) => {
    await outside(act);
    return spied(...asked);
  });
}
