import { expect, it } from "vitest";
import { outcome } from "./words";

it.each(["remind", "send"] as const)(
  "a %s batch claims to have queued mails, not to have sent them",
  (action) => {
    const text = outcome({ action, changed: 2, total: 3, done: 3, skipped: 1 });
    expect(text).toMatch(/^2 payment links queued for .*, 1 skipped$/);
    expect(text).not.toMatch(/sent|mailed/);
  },
);
