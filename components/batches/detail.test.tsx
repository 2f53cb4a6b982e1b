import { expect, test, vi } from "vitest";
import { Batch, BatchReport } from "@/lib/contract/batches";
import { getBatch, getBatchReport } from "@/lib/contract/operations";
import { answered, drawn, failed } from "@/tests/drawn";
import { BatchDetail } from "./detail";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const batch = Batch.parse(Batch.meta()?.examples?.[0]);
const input = { params: { batch_id: batch._id } };

test("the page of a change of many says that the report of what it left did not load, and offers to try again", () => {
  const html = drawn(<BatchDetail id={batch._id} />, [
    answered(getBatch, input, batch),
    failed(getBatchReport, input),
  ]);
  expect(html).toContain('aria-label="What to know"');
  expect(html).toContain(">Retry</button>");
});

test("the page of an undo names payers as perhaps asked to pay: a mail may have arrived without an answer", () => {
  const report = BatchReport.parse(BatchReport.meta()?.examples?.[0]);
  const html = drawn(<BatchDetail id={batch._id} />, [
    answered(getBatch, input, batch),
    answered(getBatchReport, input, report),
  ]);
  expect(html).toContain(">May have been asked to pay by e-mail before: 1,200<");
});

test("a change of many says when it starts, or when it started", () => {
  const labels = (more: Partial<Batch>) =>
    drawn(<BatchDetail id={batch._id} />, [answered(getBatch, input, { ...batch, ...more })]).match(
      /Start(?:s|ed)(?=<)/g,
    );
  expect(labels({ status: "waiting", done: 0 })).toEqual(["Starts"]);
  expect(labels({ status: "done" })).toEqual(["Started"]);
});
