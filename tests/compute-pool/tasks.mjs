// Tasks that misbehave, for tests of the pool.
import { threadId } from "node:worker_threads";

export const environment = () => ({ ...process.env });
export const thread = () => threadId;
export const fail = () => {
  throw new Error("broken");
};
export const spin = () => {
  for (;;);
};
export const hoard = () => {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
};
