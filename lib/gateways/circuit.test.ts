import { expect, test } from "vitest";
import { Circuit } from "./circuit";

const failing = (circuit: Circuit, times: number, now = 0) => {
  for (let count = 0; count < times; count++) circuit.failed("a", now);
};

test("four failures let calls through, the fifth stops them, and another name's are none of it", () => {
  const circuit = new Circuit();
  failing(circuit, 4);
  expect(circuit.wait("a", 0)).toBe(0);
  failing(circuit, 1);
  expect(circuit.wait("a", 0)).toBe(5);
  expect(circuit.wait("b", 0)).toBe(0);
});

test("after the pause one call may try; the others wait for what becomes of it", () => {
  const circuit = new Circuit();
  failing(circuit, 5);
  expect([circuit.wait("a", 5_000), circuit.wait("a", 5_000)]).toEqual([0, 5]);
  circuit.failed("a", 5_000);
  expect(circuit.wait("a", 5_000)).toBe(10);
  expect(circuit.wait("a", 15_000)).toBe(0);
  circuit.answered("a");
  expect(circuit.wait("a", 15_000)).toBe(0);
});

test("pauses grow no longer than two minutes; Retry-After counts at once, ten minutes of it at most", () => {
  const circuit = new Circuit();
  failing(circuit, 30);
  expect(circuit.wait("a", 0)).toBe(120);
  circuit.failed("b", 0, 30);
  expect(circuit.wait("b", 0)).toBe(30);
  circuit.failed("b", 0, 100_000);
  expect(circuit.wait("b", 0)).toBe(600);
});
