import { shown } from "./objects";

export type Form = Record<string, unknown>;

/** A field of a form, by its path. */
export const dig = (form: Form, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (at, key) => (typeof at === "object" && at !== null ? (at as Form)[key] : undefined),
      form,
    );

/** Those of one payment, or all. */
export const ofIntent = <T extends { payment_intent: string }>(
  all: readonly T[],
  form: Form,
): T[] =>
  all.filter(
    ({ payment_intent: intent }) =>
      form.payment_intent === undefined || form.payment_intent === intent,
  );

/** A page of a list, newest first. */
export function listed(
  all: ReadonlyArray<{ object: string; id: string; created: number }>,
  form: Form,
  url: string,
): { answer: Record<string, unknown>; object: string } {
  const since = Number(dig(form, "created.gte") ?? 0);
  const until = Number(dig(form, "created.lte") ?? Number.POSITIVE_INFINITY);
  const limit = Number(form.limit ?? 10);
  const fitting = all.filter(({ created }) => created >= since && created <= until);
  const from =
    form.starting_after === undefined
      ? 0
      : fitting.findIndex(({ id }) => id === form.starting_after) + 1;
  return {
    answer: {
      object: "list",
      data: fitting.slice(from, from + limit).map((thing) => shown(thing)),
      has_more: from + limit < fitting.length,
      url,
    },
    object: "list",
  };
}
