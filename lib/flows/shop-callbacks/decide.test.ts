import { expect, test } from "vitest";
import { accepts, decide } from "./decide";

const said = (response: string | null, status = 200) => ({
  status,
  error: status < 300 ? null : `It answered ${status}.`,
  response,
});

test.each([
  "Swipe IPN webhook success",
  "Payje IPN webhook success",
  "Callback processed successfully.",
])("a shop that says %j has taken the callback", (words) => {
  expect(decide(said(words), 1, "woocommerce")).toEqual({ status: "delivered", seconds: null });
  expect(accepts(said(words))).toBe(true);
});

test.each(["Hash mismatch.", "<html>Welcome</html>", "", null])(
  "a shop that says %j has not said that it took a callback, whatever its plugin",
  (words) => {
    expect(accepts(said(words))).toBe(false);
  },
);

test.each(["Hash mismatch.", "Swipe IPN webhook failed", "<html>Welcome</html>", "", null])(
  "a 200 that says %j is refused, and is not sent again",
  (words) => {
    expect(decide(said(words), 1, "woocommerce")).toEqual({ status: "refused", seconds: null });
  },
);

test.each(["<!doctype html><title>Kedai</title>", "", null])(
  "GiveWP, which has no words for it, has taken a callback that it answers with %j",
  (words) => {
    expect(decide(said(words), 1, "givewp")).toEqual({ status: "delivered", seconds: null });
  },
);

test.each([
  "Swipe IPN webhook failed",
  "Hash mismatch.",
  "Missing API signature key.",
  "No Payment Link found",
])("GiveWP has refused a callback with %j", (words) => {
  expect(decide(said(words), 1, "givewp")).toEqual({ status: "refused", seconds: null });
});

test.each([
  ["OK", 200],
  ["", 200],
  [null, 204],
])(
  "another program, of which no words are known, has taken what it answers with %j (%i)",
  (words, status) => {
    expect(decide(said(words, status), 1, "other")).toEqual({ status: "delivered", seconds: null });
  },
);

test("another program that repeats a plugin's words of refusal has refused the callback", () => {
  expect(decide(said("Hash mismatch."), 1, "other")).toEqual({ status: "refused", seconds: null });
});

test.each([200, 500])(
  "a %i that says the webhook was processed before ends the attempts: each would mail the buyer",
  (status) => {
    const words = "This webhook has already been processed (#42)";
    expect(decide(said(words, status), 1, "gravity-forms")).toEqual({
      status: "delivered",
      seconds: null,
    });
  },
);

test("any other failure gets three attempts in all, ever later", () => {
  const failed = { status: null, error: "It refused the connection.", response: null };
  const decisions = [1, 2, 3].map((attempts) => decide(failed, attempts, "woocommerce"));
  expect(decisions.map(({ status }) => status)).toEqual(["pending", "pending", "failed"]);
  expect(decisions[1]?.seconds).toBeGreaterThan(decisions[0]?.seconds ?? Infinity);
  expect(decide(said("Swipe IPN webhook success", 500), 1, "woocommerce").status).toBe("pending");
  expect(decide(failed, 1, "givewp").status).toBe("pending");
});
