import { expect, test } from "vitest";
import { attentionWords } from "./attention-words";

test.each(["deleted", "cancelled", "expired"])(
  "money that came after a link was %s is announced as late for that too",
  (end) => {
    expect(attentionWords.payment_late.text).toContain(end);
  },
);
