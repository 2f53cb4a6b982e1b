import { expect, test } from "vitest";
import { logged } from "@/tests/log-lines";
import { log, processName } from "./log";

test.each([
  ["/srv/kutip/build/server.js", "web"],
  ["build/worker.js", "worker"],
  ["build/kutip.js", "kutip"],
  ["node_modules/next/dist/bin/next", "next"],
  [undefined, ""],
])("log lines of %s name the process %j", (script, name) => {
  expect(processName(script)).toBe(name);
});

test("every line says which process wrote it", () => {
  expect(log.bindings()).toEqual({ process: processName(process.argv[1]) });
});

test.each([
  { reason: "550 5.1.1 <ana+x@example.com>: Recipient address rejected" },
  { message: "Invalid email address: ana@example.com" },
  { place: "https://shop.example/?to=ana%40example.com" },
  { err: new Error("no such user ana@example.com") },
])("no line holds an e-mail address that others quote: %j", async (fields) => {
  const lines = await logged(() => log.warn(fields, "refused"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("[address]");
  expect(lines[0]).not.toMatch(/ana|example\.com/);
});
