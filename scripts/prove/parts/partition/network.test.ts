import { expect, test } from "vitest";
import { cutRules } from "./network";

const rulesOf = (text: string) => text.match(/^ {4}ip .*$/gm)?.map((line) => line.trim());

test("a cut between two machines swallows both directions, wherever the packets pass", () => {
  const both = [
    "ip saddr 10.0.0.21 ip daddr 10.0.0.11 drop",
    "ip saddr 10.0.0.11 ip daddr 10.0.0.21 drop",
  ];
  const text = cutRules([{ from: "10.0.0.21", to: "10.0.0.11" }]);
  expect(rulesOf(text)).toEqual([...both, ...both, ...both]);
  for (const hook of ["forward", "input", "output"])
    expect(text).toContain(`type filter hook ${hook} priority 0;`);
});

test("a cut of one port leaves the machine's other ports", () => {
  expect(
    rulesOf(cutRules([{ from: "10.0.0.22", to: "10.0.0.1", port: 4242 }]))?.slice(0, 2),
  ).toEqual([
    "ip saddr 10.0.0.22 ip daddr 10.0.0.1 tcp dport 4242 drop",
    "ip saddr 10.0.0.1 ip daddr 10.0.0.22 tcp sport 4242 drop",
  ]);
});

test("a machine can be cut from everything", () => {
  expect(rulesOf(cutRules([{ from: "10.0.0.11" }]))?.slice(0, 2)).toEqual([
    "ip saddr 10.0.0.11 drop",
    "ip daddr 10.0.0.11 drop",
  ]);
});
