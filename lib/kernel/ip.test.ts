import { expect, test } from "vitest";
import { addressKey, plainAddress } from "./ip";

test.each([
  ["198.51.100.7", "198.51.100.7"],
  ["198.51.100.7:41234", "198.51.100.7"],
  ["::ffff:198.51.100.7", "198.51.100.7"],
  ["::FFFF:c633:6407", "198.51.100.7"],
  ["[::ffff:198.51.100.7]:443", "198.51.100.7"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["", undefined],
  ["unknown", undefined],
  ["_hidden", undefined],
  ["1", undefined],
  ["010.0.0.1", undefined],
  ["198.51.100.7:port", undefined],
  ["198.51.100.7, 203.0.113.1", undefined],
])("%s is the address %s", (text, plain) => expect(plainAddress(text)).toBe(plain));

test.each([
  ["198.51.100.7", "198.51.100.8"],
  ["2001:db8:1:2::1", "2001:db8:1:3::1"],
  ["64:ff9b::198.51.100.7", "64:ff9b::198.51.100.8"],
])("%s and %s are counted apart", (one, other) =>
  expect(addressKey(one)).not.toBe(addressKey(other)),
);

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"],
  ["2001:db8::1", "[2001:db8:0:0:1::9]:8443"],
  ["198.51.100.7", "::ffff:198.51.100.7"],
  ["198.51.100.7:1", "198.51.100.7:2"],
  ["64:ff9b::198.51.100.7", "198.51.100.7"],
])("%s and %s are counted together", (one, other) =>
  expect(addressKey(one)).toBe(addressKey(other)),
);

test("an unknown address is not counted", () => {
  expect(addressKey("unknown")).toBeUndefined();
  expect(addressKey(undefined)).toBeUndefined();
});
