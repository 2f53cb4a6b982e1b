import { readableTime } from "@/lib/kernel/readable-time";
import { oneLine } from "../one-line";
import { type RenderedMail, renderMail } from "./layout";

const account = { business: null, test: false, facts: [] } as const;
const orOpen = "Or open this link:";

/** The mail that lets a person choose a new password. */
export function renderResetMail({ address }: { address: string }): RenderedMail {
  return renderMail({
    ...account,
    subject: "Choose a new password",
    preview: "The link in this e-mail works for one hour.",
    heading: "Choose a new password",
    paragraphs: [
      "Use the link below to choose a new password. It works once, within one hour. You are then signed out on all devices.",
    ],
    button: { label: "Choose a password", address, note: orOpen },
    reason:
      "You’re receiving this e-mail because a new password was requested for this address. If this wasn’t you, ignore this e-mail.",
  });
}

/** The mail by which a person proves that an address is theirs. */
export function renderVerificationMail({ address }: { address: string }): RenderedMail {
  return renderMail({
    ...account,
    subject: "Confirm your e-mail address",
    preview: "Press the button to confirm your address.",
    heading: "Confirm your e-mail address",
    paragraphs: ["Confirm that this e-mail address is yours. The link below works for one day."],
    button: { label: "Confirm", address, note: orOpen },
    reason:
      "You’re receiving this e-mail because this address was given for a Kutip account. If this wasn’t you, ignore this e-mail.",
  });
}

/** The mail by which staff see that mails arrive. */
export function renderTestMail({ businessName }: { businessName: string }): RenderedMail {
  const name = oneLine(businessName, 100);
  return renderMail({
    ...account,
    subject: oneLine(`Test mail of ${name}`, 150),
    preview: "E-mail from this install works.",
    heading: "It works",
    paragraphs: [
      `This is the test mail that you asked for. Payers of ${name} get their mails from the same address.`,
    ],
    reason: "You’re receiving this e-mail because you pressed “Send a test mail” in Kutip.",
  });
}

export type InvitationMailProps = {
  address: string;
  inviter: string;
  /** Null for an invitation to make a business. */
  businessName: string | null;
  role: string;
  /** ISO 8601 UTC. */
  expiresAt: string;
};

/** The mail that invites a person to a business. */
export function renderInvitationMail({
  address,
  inviter,
  businessName,
  role,
  expiresAt,
}: InvitationMailProps): RenderedMail {
  const who = oneLine(inviter, 100);
  const where = businessName === null ? "Kutip" : oneLine(businessName, 100);
  return renderMail({
    ...account,
    subject: oneLine(`${who} invites you to ${where}`, 150),
    preview: businessName === null ? "Create your business in Kutip." : `Join ${where} in Kutip.`,
    heading: `${who} invites you to ${where}`,
    paragraphs: [
      businessName === null
        ? "You can create a business of your own in this install of Kutip."
        : `You can join ${where} in Kutip and work there as ${role}.`,
    ],
    facts: [{ label: "Accept before", value: readableTime(expiresAt) }],
    button: { label: "Accept the invitation", address, note: orOpen },
    reason: `You’re receiving this e-mail because ${who} gave your address. If you don’t know them, ignore this e-mail.`,
  });
}

/** The mail by which a person who asked to sign up continues; opening its link proves the address. */
export function renderSignUpMail({
  address,
  expiresAt,
}: {
  address: string;
  expiresAt: string;
}): RenderedMail {
  return renderMail({
    ...account,
    subject: "Confirm your e-mail address",
    preview: "Then create your business in Kutip.",
    heading: "Create your business",
    paragraphs: ["Confirm that this e-mail address is yours, then create your business in Kutip."],
    facts: [{ label: "Works until", value: readableTime(expiresAt) }],
    button: { label: "Confirm and continue", address, note: orOpen },
    reason:
      "You’re receiving this e-mail because someone entered this address to sign up. If this wasn't you, ignore this e-mail.",
  });
}

/** The mail to an address that has an account and was entered to sign up. */
export function renderKnownAccountMail({ address }: { address: string }): RenderedMail {
  return renderMail({
    ...account,
    subject: "You already have an account",
    preview: "Sign in with this address.",
    heading: "You already have an account",
    paragraphs: [
      "Someone entered this address to sign up, but it already has an account. Sign in, or choose a new password if you forgot yours.",
    ],
    button: { label: "Sign in", address, note: orOpen },
    reason:
      "You’re receiving this e-mail because someone entered this address to sign up. If this wasn't you, ignore this e-mail.",
  });
}
