import pg from "pg";
import { afterAll, afterEach, expect } from "vitest";
import { refusedOnShards } from "./refused-on-shards";

/** Updates of this file that an install on several servers would refuse, those of its tests too. */
const refused = new Set<string>();

const query = pg.Client.prototype.query as (...asked: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  const [first] = asked;
  const text = typeof first === "string" ? first : (first as { text?: string } | undefined)?.text;
  // Migrations are no such statements: an install that is distributed takes none.
  const part = /^\s*(?:with|insert|update)\b/i.test(text ?? "") && refusedOnShards(text ?? "");
  if (part) refused.add(`${part}: ${text}`);
  return Reflect.apply(query, this, asked);
} as typeof pg.Client.prototype.query;

function assertNone() {
  const found = [...refused];
  refused.clear();
  expect(found).toEqual([]);
}
afterEach(assertNone);
afterAll(assertNone);
