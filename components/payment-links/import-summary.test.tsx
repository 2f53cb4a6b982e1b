import { expect, test, vi } from "vitest";
import { Batch } from "@/lib/contract/batches";
import { BulkReport } from "@/lib/contract/bulk";
import { getBatch } from "@/lib/contract/operations";
import { answered, drawn } from "@/tests/drawn";
import { ImportSummary } from "./import-summary";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const example = BulkReport.parse(BulkReport.meta()?.examples?.[0]);
const saysOf = (
  report: Partial<BulkReport>,
  sendsMail = true,
  answers: ReturnType<typeof answered>[] = [],
) => {
  const nothing = () => undefined;
  const html = drawn(
    <ImportSummary
      file={{ name: "links.csv", rows: [] }}
      report={{ ...example, dry_run: true, valid: 5, ...report }}
      problem={null}
      checking={false}
      creating={null}
      onCreate={nothing}
      onColumns={nothing}
      onAgain={nothing}
    />,
    answers,
    { sends_mail: sendsMail },
  );
  return html.replace(/<[^>]*>/g, "|");
};

test.each([
  [0, 0, "|No e-mail goes out.|"],
  [0, 2, "|No e-mail goes out now. 2 payment links have reminders."],
  [1, 0, "|1 e-mail to payers. They wait for half a minute, so that you can stop them."],
  [
    5,
    1,
    "|5 e-mails to payers. They wait for half a minute, so that you can stop them. 1 payment link has reminders.",
  ],
])(
  "an import with %i mails now and %i links that are reminded later says both",
  (mails, with_reminders, words) => {
    expect(saysOf({ mails, with_reminders })).toContain(words);
  },
);

test("an import whose only mails are reminders says that they are kept without a mail server", () => {
  const kept = "No mail server is set, so they are kept and not sent.";
  expect(saysOf({ mails: 0, with_reminders: 1 }, false)).toContain(kept);
  expect(saysOf({ mails: 0, with_reminders: 0 }, false)).not.toContain(kept);
});

test("an import whose mails were stopped says so, and no longer that they go out", () => {
  const batch = Batch.parse({
    ...(Batch.meta()?.examples?.[0] as object),
    action: "send",
    status: "stopped",
    total: 5,
    done: 0,
    changed: 0,
    skipped: 0,
  });
  const created = { dry_run: false, created: 5, mails: 5, mails_batch_id: batch._id };
  const input = { params: { batch_id: batch._id } };
  const said = saysOf(created, true, [answered(getBatch, input, batch)]);
  expect(said.replaceAll("|", "")).toContain(
    "E-mails stopped: 0 payment links queued for mailing, 5 not reached. See the e-mails",
  );
  expect(said).not.toContain("to payers");
});

test("rows that are left out are counted above the button, with what can be done", () => {
  const text = "5 rows left out, because the reference is taken.";
  expect(saysOf({ conflict: 5, valid: 2 })).toContain(
    `${text} You can create them anyway: choose above.`,
  );
  expect(saysOf({ conflict: 5, created: 2, dry_run: false })).toContain(`${text}|`);
  expect(saysOf({ conflict: 1, valid: 2 })).toContain(
    "1 row left out, because the reference is taken. You can create it anyway: choose above.",
  );
  expect(saysOf({ conflict: 0 })).not.toContain("left out");
});
