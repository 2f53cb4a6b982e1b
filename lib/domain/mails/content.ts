import { db } from "@/db/client";
import { unseal } from "@/lib/kernel/secrets";
import { keysById } from "../payers/rows";
import { ERASED_TEXT, keyIdOf, openContent } from "../payers/rules";
import type { MailRow } from "./rows";

/** A mail that was sealed under another secret. */
export class UnreadableMail extends Error {}

function unsealed(html: string, text: string): [html: string, text: string] {
  try {
    return [unseal(html, "mail"), unseal(text, "mail")];
  } catch (error) {
    throw new UnreadableMail("It was sealed under another KUTIP_SECRET.", { cause: error });
  }
}

/** The content of a mail, unsealed; `[erased]` where its payer was erased. Throws UnreadableMail. */
export async function contentOf({
  businessId,
  html,
  text,
}: Pick<MailRow, "businessId" | "html" | "text">): Promise<{ html: string; text: string }> {
  const sealed = unsealed(html, text);
  const ids = sealed.flatMap((content) => keyIdOf(content) ?? []);
  const keys = await keysById(db, businessId, ids);
  const [openHtml, openText] = sealed.map((content) => openContent(content, keys) ?? ERASED_TEXT);
  return { html: openHtml ?? ERASED_TEXT, text: openText ?? ERASED_TEXT };
}
