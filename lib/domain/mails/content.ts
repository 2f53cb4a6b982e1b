import { db, type Executor } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { log } from "@/lib/kernel/log";
import { unseal } from "@/lib/kernel/secrets";
import { keysById } from "../payers/rows";
import { ERASED_TEXT, keyIdOf, openContent } from "../payers/rules";
import type { MailRow } from "./rows";

/** In place of a text that was sealed under another secret. */
const UNREADABLE_TEXT = "[unreadable]";

/** A mail that was sealed under another secret. */
export class UnreadableMail extends Error {}

function unsealed(html: string, text: string): [html: string, text: string] {
  try {
    return [unseal(html, "mail"), unseal(text, "mail")];
  } catch (error) {
    throw new UnreadableMail("It was sealed under another KUTIP_SECRET.", { cause: error });
  }
}

/** The content of a mail, unsealed; `[erased]` where its payer was erased, or a payer whom it named. Throws UnreadableMail. */
export async function contentOf(
  { businessId, html, text }: Pick<MailRow, "businessId" | "html" | "text">,
  on: Executor = db,
): Promise<{ html: string; text: string }> {
  const sealed = unsealed(html, text);
  const ids = sealed.flatMap((content) => keyIdOf(content) ?? []);
  const keys = await keysById(on, businessId, ids);
  const [openHtml, openText] = sealed.map((content) => openContent(content, keys) ?? ERASED_TEXT);
  return { html: openHtml ?? ERASED_TEXT, text: openText ?? ERASED_TEXT };
}

/** The same for people: `[unreadable]` instead of an UnreadableMail. */
export async function shownContentOf(
  mail: Pick<MailRow, "id" | "businessId" | "html" | "text">,
  on?: Executor,
): Promise<{ html: string; text: string }> {
  try {
    return await contentOf(mail, on);
  } catch (error) {
    if (!(error instanceof UnreadableMail)) throw error;
    log.error({ err: error.cause, mail: mail.id }, "a mail cannot be opened");
    return { html: UNREADABLE_TEXT, text: UNREADABLE_TEXT };
  }
}

/** Which mails of a business were erased or cannot be read: one look at the keys for all of them. */
export async function lostAmong(
  list: readonly Pick<MailRow, "id" | "businessId" | "text">[],
): Promise<Set<string>> {
  const sealed = list.map(({ id, text }) => ({ id, text: unsealedOrNull(text) }));
  const ids = sealed.flatMap(({ text }) => (text === null ? [] : (keyIdOf(text) ?? [])));
  const keys = await keysById(db, list[0]?.businessId ?? NO_BUSINESS, ids);
  const isOpen = (text: string | null) =>
    text !== null && !isLost({ text: openContent(text, keys) ?? ERASED_TEXT });
  return new Set(sealed.flatMap(({ id, text }) => (isOpen(text) ? [] : id)));
}

function unsealedOrNull(text: string): string | null {
  try {
    return unseal(text, "mail");
  } catch {
    return null;
  }
}

/** Whether content was erased or cannot be read, so that sending it again would say nothing. */
export const isLost = ({ text }: { text: string }): boolean =>
  text === ERASED_TEXT || text === UNREADABLE_TEXT;
