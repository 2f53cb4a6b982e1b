import { expect, test, vi } from "vitest";
import { getInstall } from "@/lib/contract/operations";
import { answered, drawn } from "@/tests/drawn";
import { AcceptInvitation } from "./accept-invitation";
import { ForgotPassword } from "./forgot-password";
import { SignIn } from "./sign-in";
import { TwoFactor } from "./two-factor";
import { VerifyEmail } from "./verify-email";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
vi.mock("@/lib/client/use-hash-token", () => ({ useHashToken: () => "token" }));

const contact = "mailto:help@example.com";
const offer = {
  business_id: 1002,
  business_name: "Kite & Co",
  email: "mei@example.com",
  role: "staff",
  expires_at: "2026-11-27T13:34:45.423258Z",
  known: false,
};
const offered = (resets: boolean, sends_mail: boolean) =>
  drawn(<AcceptInvitation />, [{ key: ["invitation", "token"], data: { ...offer, resets } }], {
    sends_mail,
    operator_contacts: [contact],
  });

test.each([
  ["that sends mail", true, "Settings → Security sends the mail"],
  ["without a mail server", false, "kutip user:reset mei@example.com"],
])(
  "an account that a copied link would reset reads what it keeps it by, on an install %s",
  (_, mails, words) => {
    const html = offered(true, mails);
    expect(html).toContain("The businesses that you belong to stay closed");
    expect(html).toContain(words);
    expect(html).not.toContain("Sign in to accept");
  },
);

test("who has no account with the address of a copied link is told of no reset", () => {
  const html = offered(false, false);
  expect(html).not.toContain("stay closed");
  expect(html).toContain("Sign in to accept");
});

test("who confirms an address while signed in reads what the link of another address does", () => {
  const html = drawn(<VerifyEmail />, []);
  expect(html).toContain("You are signed in as mei@example.com.");
  expect(html).toContain("its password ends and you choose a new one next");
});

test("who has lost their second factor reads how the operator can be reached", () => {
  const html = drawn(<TwoFactor next={null} />, [
    answered(getInstall, {}, { operator_contacts: [contact] }),
  ]);
  expect(html).toContain(`href="${contact}"`);
});

test.each([
  ["a forgotten password", <SignIn key="in" next="/invitation" />, "/forgot-password"],
  ["another start", <TwoFactor key="second" next="/invitation" />, "/sign-in"],
  ["the way back", <ForgotPassword key="forgot" next="/invitation" />, "/sign-in"],
])("%s keeps where the person wanted to be", (_, part, page) => {
  expect(drawn(part, [])).toContain(`href="${page}?next=%2Finvitation"`);
});
