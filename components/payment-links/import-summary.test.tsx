import { expect, test, vi } from "vitest";
import { BulkReport } from "@/lib/contract/bulk";
import { drawn } from "@/tests/drawn";
import { ImportSummary } from "./import-summary";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const example = BulkReport.parse(BulkReport.meta()?.examples?.[0]);
const saysOf = (report: Partial<BulkReport>, sendsMail = true) => {
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
    [],
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
