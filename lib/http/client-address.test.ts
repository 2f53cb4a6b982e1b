import { expect, test } from "vitest";
import { provideEnv } from "@/lib/env";
import { clientAddress } from "./client-address";

provideEnv({ TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8:ffff::/48" });

test.each([
  ["198.51.100.7", "203.0.113.9", "198.51.100.7"],
  ["10.0.0.1", undefined, "10.0.0.1"],
  ["10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["::ffff:10.0.0.1", "1.2.3.4, 203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "203.0.113.9:40112", "203.0.113.9"],
  ["10.0.0.1", "[2001:db8::5]:40112", "2001:db8::5"],
  ["2001:db8:ffff::1", "203.0.113.9, 10.3.2.1", "203.0.113.9"],
  ["10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"],
  ["10.0.0.1", " , ,", "10.0.0.1"],
  [undefined, "203.0.113.9", "unknown"],
])("of the socket %s and the header %s the caller is %s", (socket, header, caller) =>
  expect(clientAddress(socket, header)).toBe(caller),
);
