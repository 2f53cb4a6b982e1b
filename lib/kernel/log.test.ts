import { expect, test } from "vitest";
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
