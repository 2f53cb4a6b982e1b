import pg from "pg";

let words = 0;

/** Makes this process die, with no chance to clean up, right before or after its n-th word with the database. Returns how many it has had. */
export function dieAt(at: number, when: string): () => number {
  const query = pg.Client.prototype.query as (...values: unknown[]) => unknown;
  const die = () => process.kill(process.pid, "SIGKILL");
  pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
    words++;
    if (words !== at) return query.apply(this, values);
    if (when === "before") die();
    // The pool passes a callback, a transaction awaits a promise: the answer has come either way.
    if (typeof values.at(-1) === "function")
      return query.apply(this, [...values.slice(0, -1), die]);
    return (query.apply(this, values) as Promise<unknown>).then(die, die);
  } as typeof pg.Client.prototype.query;
  return () => words;
}
