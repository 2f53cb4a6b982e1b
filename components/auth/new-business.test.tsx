import { expect, test, vi } from "vitest";
import { getInstall } from "@/lib/contract/operations";
import { answered, drawn } from "@/tests/drawn";
import { FirstCommand } from "./first-command";
import { Setup } from "./new-business";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

test.each([
  ["has printed a code asks for it", true],
  ["has printed no code does not", false],
])("the first-run page of an install that %s", (_, has_setup_code) => {
  const html = drawn(<Setup />, [
    answered(
      getInstall,
      {},
      {
        empty: true,
        has_setup_code,
        sign_up: "closed",
        sends_mail: false,
        operator_contacts: [],
      },
    ),
  ]);
  expect(html.includes("Setup code")).toBe(has_setup_code);
  expect(html.includes("Printed in the terminal by npm start.")).toBe(has_setup_code);
});

test("in place of the form is the command that makes the first business", () => {
  const html = drawn(<FirstCommand check={() => undefined} isChecking={false} />, []);
  expect(html).toContain("kutip business:create");
  expect(html).toContain("Check again");
});
