import { desc, eq } from "drizzle-orm";
import { db } from "@/db/client";
import { mails } from "@/db/schema/mails";
import { unseal } from "@/lib/kernel/secrets";

/** The token in the newest account mail to an address. */
export async function mailedToken(recipient: string, kind: string): Promise<string> {
  const rows = await db
    .select()
    .from(mails)
    .where(eq(mails.recipient, recipient))
    .orderBy(desc(mails.createdAt), desc(mails.id));
  const mail = rows.find((row) => row.kind === kind);
  const token = mail && /#(\S+)/.exec(unseal(mail.text, "mail"))?.[1];
  if (!token) throw new Error(`no ${kind} mail to ${recipient}`);
  return token;
}

/** The `data` of a success; fails the test otherwise. */
export async function dataOf<T = Record<string, unknown>>(
  answer: Response | Promise<Response>,
): Promise<T> {
  const given = await answer;
  const body = (await given.json()) as { data?: T };
  if (given.status !== 200) throw new Error(`answered ${given.status}: ${JSON.stringify(body)}`);
  return body.data as T;
}
