import type { Executor } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { env } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { take, tooManyRequests } from "@/lib/domain/limits/limits";
import { log } from "@/lib/kernel/log";
import { seal } from "@/lib/kernel/secrets";
import {
  type InvitationMailProps,
  renderInvitationMail,
  renderKnownAccountMail,
  renderResetMail,
  renderSignUpMail,
  renderVerificationMail,
} from "@/lib/mail/templates/account-mails";
import type { RenderedMail } from "@/lib/mail/templates/layout";
import { insertMail } from "../mails/rows";

type Kind =
  | "account_reset"
  | "account_verification"
  | "account_invitation"
  | "account_notice"
  | "account_test";

/** Puts an account mail into the outbox: it belongs to no business, so no member reads it in the dashboard. `about` finds it again. */
export async function putAccountMail(
  on: Executor,
  kind: Kind,
  recipient: string,
  mail: RenderedMail,
  about: string | null = null,
): Promise<void> {
  const id = newId();
  await insertMail(on, {
    id,
    businessId: NO_BUSINESS,
    mode: null,
    kind,
    cause: id,
    objectId: about,
    recipient,
    subject: mail.subject,
    html: seal(mail.html, "mail"),
    text: seal(mail.text, "mail"),
  });
}

type Limits = { countedAs?: Kind | "account_sign_up"; isOwn?: boolean };

/**
 * Takes a mail that others may cause from the limit of its recipient; false above it. `countedAs`: what strangers may ask for takes
 * nothing from what members send. `isOwn`: the recipient is signed in and asks, so a refusal is a 429; strangers read nothing of it.
 */
async function takeMail(
  on: Executor,
  kind: Kind,
  recipient: string,
  { countedAs = kind, isOwn = false }: Limits = {},
): Promise<boolean> {
  const limit =
    countedAs === "account_invitation" ? "invitation_recipient" : "account_mail_recipient";
  const who = `${countedAs}:${recipient.trim().toLowerCase()}`;
  const allowance = await take(limit, who, 1, on);
  if (allowance.allowed) return true;
  log.warn({ kind }, "an account mail was not written: its recipient has had too many");
  if (isOwn)
    throw tooManyRequests(
      allowance,
      `This address gets at most ${allowance.limit} such mails an hour. Open the link in one of them, or try again later.`,
    );
  return false;
}

/** Puts such a mail into the outbox, or none above the limit. */
async function putLimited(
  on: Executor,
  kind: Kind,
  recipient: string,
  mail: RenderedMail,
  { about, ...limits }: Limits & { about?: string } = {},
): Promise<void> {
  if (await takeMail(on, kind, recipient, limits))
    await putAccountMail(on, kind, recipient, mail, about);
}

// The token is in the URL fragment, which browsers never send: it is in no log and no Referer.
const page = (name: string, token: string) => `${env.BASE_URL}/${name}#${token}`;

const passwordLink = (token: string) => renderResetMail({ address: page("reset-password", token) });

export const resetMail = (
  on: Executor,
  { recipient, token }: { recipient: string; token: string },
) => putLimited(on, "account_reset", recipient, passwordLink(token));

/** By the operator: no limit that strangers can use up holds it back. */
export const operatorResetMail = (
  on: Executor,
  { recipient, token }: { recipient: string; token: string },
) => putAccountMail(on, "account_reset", recipient, passwordLink(token));

/** `isOwn`: asked for by its recipient, signed in. Throws 429 for them alone. */
export const verificationMail = (
  on: Executor,
  { recipient, token, isOwn }: { recipient: string; token: string; isOwn: boolean },
) =>
  putLimited(
    on,
    "account_verification",
    recipient,
    renderVerificationMail({ address: page("verify-email", token) }),
    { isOwn },
  );

type InvitationContent = Omit<InvitationMailProps, "address"> & { token: string };
type InvitationMail = InvitationContent & { id: string; recipient: string };

const invitationContent = ({ token, ...rest }: InvitationContent) =>
  renderInvitationMail({ ...rest, address: page("invitation", token) });

export const invitationMail = (on: Executor, { id, recipient, ...rest }: InvitationMail) =>
  putLimited(on, "account_invitation", recipient, invitationContent(rest), { about: id });

/** By the operator: no limit that strangers or members can use up holds it back. */
export const operatorInvitationMail = (on: Executor, { id, recipient, ...rest }: InvitationMail) =>
  putAccountMail(on, "account_invitation", recipient, invitationContent(rest), id);

/** Above the limit of the recipient no offer is made either: a stranger's address is not kept without a mail. */
export async function signUpMail(
  on: Executor,
  recipient: string,
  makeOffer: () => Promise<{ token: string; expiresAt: string }>,
): Promise<void> {
  if (!(await takeMail(on, "account_invitation", recipient, { countedAs: "account_sign_up" })))
    return;
  const { token, expiresAt } = await makeOffer();
  const mail = renderSignUpMail({ address: page("sign-up", token), expiresAt });
  await putAccountMail(on, "account_invitation", recipient, mail);
}

export const knownAccountMail = (on: Executor, { recipient }: { recipient: string }) =>
  putLimited(
    on,
    "account_notice",
    recipient,
    renderKnownAccountMail({ address: `${env.BASE_URL}/sign-in` }),
  );
