import type { Mail } from "@/lib/contract/mails";

type Row = Pick<Mail, "_id" | "resent_from">;

/** Mails, the newest first, but each of `again` right below the mail that it repeats: the row that was pressed stays in its place. */
export function inPlace<R extends Row>(mails: readonly R[], again: readonly string[]): R[] {
  const repeats = (mail: R, of: Row) => again.includes(mail._id) && mail.resent_from === of._id;
  const withRepeats = (of: R): R[] => [
    of,
    ...mails.filter((mail) => repeats(mail, of)).flatMap(withRepeats),
  ];
  return mails.filter((mail) => !mails.some((other) => repeats(mail, other))).flatMap(withRepeats);
}
