import { expect, test } from "vitest";
import { readText } from "./files";

const settings = new Map(
  [...readText("proxies/pgbouncer.ini").matchAll(/^(\w+) = (.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);

// The drill `npm run prove -- pgbouncer` shows what each of them is for.
test("statements end in time in a pooled session", () => {
  expect(settings.get("pool_mode")).toBe("transaction");
  for (const limit of ["statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"])
    expect(settings.get("kutip")).toMatch(new RegExp(`connect_query='.*set ${limit} = ''`));
});

test("a failed login to the server keeps callers away for a second only, since each failover has one", () => {
  expect(Number(settings.get("server_login_retry"))).toBe(1);
});
