import { beforeAll, expect, test } from "vitest";
import { metrics } from "@/lib/kernel/metrics";
import { allJobs } from "@/lib/worker/all-jobs";
import { readFigures } from "@/lib/worker/figures";
import { newLink, newShop } from "../money/setting";

beforeAll(async () => {
  await newLink(await newShop());
});

test.each(allJobs.tasks)('the task "$name" does its work', async ({ run }) => {
  expect(await run("test")).toBeGreaterThanOrEqual(0);
});

test("all figures of the metrics are read", async () => {
  await readFigures();
  const { values } = (await metrics.getSingleMetric("kutip_figures_read")?.get()) ?? { values: [] };
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter(({ value }) => value !== 1)).toEqual([]);
});
