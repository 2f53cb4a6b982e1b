import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { bytesOfKeptPages, keptPayerPage, type Visit } from "./answer";
import type { PayerView } from "./view";

test("pages that are opened often are drawn once, and all that are kept take 8 MiB at most", async () => {
  let drawn = 0;
  const visit: Visit = {
    request: new Request("https://pay.example/pay"),
    requestId: "test",
    context: {},
    render: async () => {
      drawn++;
      const html = randomBytes(100_000).toString("base64");
      return { html, styleHash: "", status: 200, refreshSeconds: undefined };
    },
  };
  const open = (title: number) => keptPayerPage(visit, { title } as unknown as PayerView);

  for (let title = 0; title < 100; title++) {
    await open(0);
    await open(title);
  }
  expect(drawn).toBe(100);
  expect(bytesOfKeptPages()).toBeGreaterThan(4 * 2 ** 20);
  expect(bytesOfKeptPages()).toBeLessThanOrEqual(8 * 2 ** 20);
  await open(99);
  expect(drawn).toBe(100);
  await open(1);
  expect(drawn).toBe(101);
});
