import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { ForgotPassword } from "@/components/auth/forgot-password";
import { SignUp } from "@/components/auth/new-business";
import { ConfirmAddress } from "@/components/console/confirm-address";
import { PackageList } from "@/components/packages/list";
import { SendButton } from "@/components/payment-links/send-button";
import { BusinessSettings } from "@/components/settings/business";
import { Invitations } from "@/components/settings/invitations";
import { ResetSecondFactor } from "@/components/settings/reset-second-factor";
import { Security } from "@/components/settings/security";
import { SubscriptionList } from "@/components/subscriptions/list";
import { meaningOf } from "@/components/subscriptions/words";
import { RevokeDialog } from "@/components/tokens/revoke-dialog";
import { Business } from "@/lib/contract/business";
import { Mail } from "@/lib/contract/mails";
import type { Me } from "@/lib/contract/me";
import {
  getBusiness,
  getInstall,
  listInvitations,
  listMails,
  listPackages,
  listSubscriptions,
} from "@/lib/contract/operations";
import { PaymentLink } from "@/lib/contract/payment-links";
import { Invitation, Member } from "@/lib/contract/team";
import { SeenTokenization } from "@/lib/contract/tokenizations";
import { mailStatuses, type Role, roles, subscriptionStatuses } from "@/lib/contract/values";
import { answered, drawn } from "@/tests/drawn";
import { MailList } from "./list";
import { MailBadge } from "./mail-badge";
import { NoMailServer } from "./no-mail-server";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
// The address of a page that is opened without a token.
vi.mock("@/lib/client/use-hash-token", () => ({ useHashToken: () => null }));
// Dialogs load after the page; here they are drawn with it.
vi.mock("@/components/ui/dialog", () => {
  const Opened = ({ open, children }: { open?: boolean; children: ReactNode }) =>
    open ? children : null;
  return { Confirm: Opened, Dialog: Opened };
});

const promise =
  /mailed|gets? an? e?-?mail|on its way|we (?:send|sent)|mail tells|mail a payment|people by e-mail/i;

const me: Me = {
  user: {
    _id: "6740f1c39a3be27d51c8e400",
    name: "Mei Tan",
    email: "mei@example.com",
    email_verified: false,
    two_factor_enabled: false,
  },
  session_id: "6740f1c39a3be27d51c8e401",
  businesses: [
    { business_id: 1001, name: "Tide & Co", time_zone: "UTC", role: "owner", logo: null },
  ],
  sends_mail: false,
  operator_contacts: ["mailto:help@example.com"],
  kutip_version: "0.0.0",
};
const install = (sends_mail: boolean) =>
  answered(
    getInstall,
    {},
    {
      empty: false,
      has_setup_code: false,
      sign_up: "closed",
      sends_mail,
      operator_contacts: me.operator_contacts,
    },
  );
const firstPage = { query: { page: 1, per_page: 15 } };
const member = Member.parse(Member.meta()?.examples?.[0]);
const token = SeenTokenization.parse(SeenTokenization.meta()?.examples?.[0]);
const link: PaymentLink = {
  ...PaymentLink.parse(PaymentLink.meta()?.examples?.[0]),
  status: "Active",
  expires_at: null,
};
const close = () => undefined;

type Answers = Parameters<typeof drawn>[1];
type Part = { part: ReactNode; answers?: Answers };

/** What a person reads of a part of the dashboard. */
const textOf = (part: ReactNode, sends_mail: boolean, answers: Answers = []) =>
  drawn(part, [install(sends_mail), ...answers], { ...me, sends_mail })
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#x27;", "'");

const parts: Record<string, Part> = {
  "the page of an unconfirmed account": { part: <ConfirmAddress me={me} /> },
  "Settings → Security": { part: <Security /> },
  "the page for a forgotten password": { part: <ForgotPassword next={null} /> },
  "the page for signing up": { part: <SignUp /> },
  "the list without subscriptions": {
    part: <SubscriptionList />,
    answers: [answered(listSubscriptions, firstPage, { data: [] })],
  },
  "the list without packages": {
    part: <PackageList />,
    answers: [answered(listPackages, firstPage, { data: [] })],
  },
  "the list without mails": {
    part: <MailList />,
    answers: [answered(listMails, firstPage, { data: [] })],
  },
  "Settings → Business": {
    part: <BusinessSettings />,
    answers: [answered(getBusiness, {}, Business.parse(Business.meta()?.examples?.[0]))],
  },
  "the question before a token is revoked": {
    part: <RevokeDialog token={{ ...token, status: "active" }} onClose={close} />,
  },
  "the question before a second factor is reset": {
    part: <ResetSecondFactor member={member} onClose={close} />,
  },
};

test.each(Object.entries(parts))(
  "without a mail server %s promises no mail",
  (_name, { part, answers }) => {
    const text = textOf(part, false, answers);
    expect(text.length).toBeGreaterThan(40);
    expect(text).not.toMatch(promise);
  },
);

test.each([
  "the list without subscriptions",
  "the list without packages",
  "the list without mails",
  "Settings → Business",
  "the question before a token is revoked",
])("%s says why mails do not go out, in test mode too", (name) => {
  const { part, answers }: Part = parts[name] ?? { part: null };
  expect(textOf(part, false, answers)).toContain("This install has no mail server.");
  expect(textOf(part, true, answers)).toContain(
    "In test mode only team members with a confirmed address get mails.",
  );
});

test("an address is confirmed by mail, or by the operator where no mail goes out", () => {
  for (const part of [<ConfirmAddress key="page" me={me} />, <Security key="card" />]) {
    const text = textOf(part, false);
    expect(text).toContain("the operator of this Kutip (help@example.com)");
    expect(text).toContain("kutip user:reset mei@example.com.");
    expect(text).not.toContain("Send the mail");
  }
  const card = textOf(<Security />, true);
  expect(card).toMatch(/Send the mail(?! again)/);
  expect(card).not.toContain("user:reset");
  const page = textOf(<ConfirmAddress me={{ ...me, sends_mail: true }} />, true);
  expect(page).toContain("Send the mail");
});

test("a forgotten password is replaced by mail, or by the operator where no mail goes out", () => {
  const text = textOf(<ForgotPassword next={null} />, false);
  expect(text).toContain("the operator of this Kutip (help@example.com)");
  expect(text).not.toContain("Send the link");
  expect(textOf(<ForgotPassword next={null} />, true)).toContain("Send the link");
});

test.each(subscriptionStatuses)(
  "the meaning of a subscription that is %s does not say that its payer has the link",
  (status) => {
    for (const saved of [true, false])
      expect(meaningOf({ status }, saved)).not.toMatch(/subscriber has|mailed/);
  },
);

test.each(mailStatuses)(
  "a link whose first mail is %s is offered to be sent again only if the mail may have arrived",
  (status) => {
    const mail: Mail = {
      ...Mail.parse(Mail.meta()?.examples?.[0]),
      status,
      recipient: link.email,
      payment_link_id: link._id,
    };
    const text = textOf(<SendButton link={link} />, true, [
      answered(
        listMails,
        { query: { payment_link_id: link._id, per_page: 20 } },
        { data: [mail], next_page_url: null },
      ),
    ]);
    const arrived = status === "sent" || status === "unknown";
    expect(text).toBe(arrived ? "Send again" : "Send by e-mail");
  },
);

test("an invitation whose mail was kept says why as the mail does", () => {
  const invitation = Invitation.parse(Invitation.meta()?.examples?.[0]);
  const mail_error = "The reason that the mail has.";
  const text = textOf(<Invitations />, true, [
    answered(
      listInvitations,
      { query: { page: 1, per_page: 15, sort: "-created_at", status: "pending" } },
      { data: [{ ...invitation, mail_status: "kept", mail_error }] },
    ),
  ]);
  expect(text).toContain(`${mail_error} Copy the link from the menu.`);
  expect(text).not.toContain("No mail server is set.");
});

test("a mail that waits is called queued only where mails go out", () => {
  const invitation = Invitation.parse(Invitation.meta()?.examples?.[0]);
  const pending = answered(
    listInvitations,
    { query: { page: 1, per_page: 15, sort: "-created_at", status: "pending" } },
    { data: [{ ...invitation, mail_status: "queued" }] },
  );
  for (const part of [<MailBadge key="mail" status="queued" />, <Invitations key="team" />]) {
    expect(textOf(part, true, [pending])).toContain("Queued");
    const text = textOf(part, false, [pending]);
    expect(text).toContain("Not sent");
    expect(text).not.toContain("Queued");
  }
});

test("every member reads that no e-mail is sent, and those who run the business what is missing", () => {
  const read = (role: Role) => drawn(<NoMailServer />, [], { sends_mail: false, role });
  for (const role of roles) expect(read(role)).toContain("No e-mail is sent.");
  expect(roles.filter((role) => read(role).includes("SMTP_URL"))).toEqual(["owner", "admin"]);
  expect(drawn(<NoMailServer />, [])).toBe("");
});
