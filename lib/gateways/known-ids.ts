import type { Hint } from "./gateway";

type Read<T> =
  | { ok: true; value: T }
  | {
      ok: false;
      trouble: { kind: "refused" | "missing" | "unauthorized" | "silent"; reason: string };
    };

/** `nothing`: no id that we know leads to it. That is no proof where a gateway has no list. */
export type Looked<T> =
  | { kind: "found"; value: T }
  | { kind: "nothing" }
  | { kind: "unsure"; reason: string };

/** What a gateway without a list has of an attempt, by the ids that we know. `isWanted` refuses what is of another attempt or account. */
export async function lookUpByIds<T>(
  hint: Hint | undefined,
  isId: (id: string) => boolean,
  read: (id: string) => Promise<Read<T>>,
  isWanted: (value: T, id: string) => boolean,
): Promise<Looked<T>> {
  for (const id of new Set([hint?.fromCallback, hint?.gatewayId])) {
    if (!id || !isId(id)) continue;
    const result = await read(id);
    if (!result.ok && result.trouble.kind !== "missing")
      return { kind: "unsure", reason: result.trouble.reason };
    if (result.ok && isWanted(result.value, id)) return { kind: "found", value: result.value };
  }
  return { kind: "nothing" };
}
