import { expect, test } from "vitest";
import { attentionWords } from "@/components/overview/attention-words";
import { mailStatuses } from "@/lib/contract/values";
import { meaningOf, whyUnsent } from "./words";

const NOT_PAYABLE = "The payment link takes no money any more.";
const SEALED = "It was sealed under another KUTIP_SECRET.";

test("a mail that is kept or failed says the reason that is on record, and guesses no other", () => {
  for (const [status, error] of [
    ["kept", NOT_PAYABLE],
    ["failed", SEALED],
    ["failed", "450 try later"],
  ] as const) {
    expect(whyUnsent({ status, error })).toBe(error);
    expect(meaningOf({ status, error })).not.toMatch(/mail server|test mode|address/);
  }
});

test("the overview does not blame the address for a mail that failed", () => {
  const { label, text } = attentionWords.mail_failed;
  expect(`${label} ${text}`).not.toMatch(/refused|address/i);
});

test("the error of an earlier try is why a mail was not sent, but not why it waits for its recipient's limit", () => {
  const error = "450 try later";
  expect(mailStatuses.filter((status) => whyUnsent({ status, error }) === null)).toEqual(
    mailStatuses.filter((status) => status === "sent" || status === "waiting"),
  );
});
