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

test("a call that needs two names waits for both, and takes the trial of neither before both let it through", () => {
  const circuit = new Circuit();
  failing(circuit, 5);
  circuit.failed("b", 0, 60);
  expect(circuit.wait(["a", "b"], 5_000)).toBe(55);
  expect(circuit.wait("a", 5_000)).toBe(0);
  circuit.answered("a");
  expect(circuit.wait(["a", "b"], 60_000)).toBe(0);
});

test("calls that fail together lengthen the pause once", () => {
  const circuit = new Circuit();
  failing(circuit, 30);
  expect(circuit.wait("a", 0)).toBe(5);
  failing(circuit, 30, 4_000);
  expect(circuit.wait("a", 5_000)).toBe(0);
});

test("pauses grow no longer than two minutes; Retry-After counts at once, ten minutes of it at most", () => {
  const circuit = new Circuit();
  failing(circuit, 4);
  const pauses: number[] = [];
  for (let now = 0; pauses.length < 7; now += (pauses.at(-1) ?? 0) * 1_000) {
    circuit.failed("a", now);
    pauses.push(circuit.wait("a", now));
  }
  expect(pauses).toEqual([5, 10, 20, 40, 80, 120, 120]);
  circuit.failed("b", 0, 30);
  expect(circuit.wait("b", 0)).toBe(30);
  circuit.failed("b", 0, 100_000);
  expect(circuit.wait("b", 0)).toBe(600);
});
