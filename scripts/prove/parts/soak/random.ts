import { createHash } from "node:crypto";

/** Numbers from 0 up to 1, the same ones for the same seed and name. */
export function randomFrom(seed: number, name: string): () => number {
  let count = 0;
  return () => {
    const hash = createHash("sha256").update(`${seed} ${name} ${count++}`).digest();
    return hash.readUInt32BE(0) / 2 ** 32;
  };
}

/** The same items in a random order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
