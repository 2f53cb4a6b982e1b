import { parseArgs } from "node:util";
import { Refusal } from "@/db/embedded/refusal";
import { contentOf } from "@/lib/domain/mails/content";
import { unscopedFindMail, unscopedListMails } from "@/lib/domain/mails/rows";
import { print, UsageError } from "./usage";
import { withInstall } from "./with-install";

/** Lists the mails that were written last, account mails included, or with --account alone. */
export async function mailList(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { limit: { type: "string" }, account: { type: "boolean" } },
  });
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new UsageError("the limit is a number from 1 to 1000");
  await withInstall(async () => {
    for (const mail of await unscopedListMails(limit, { accountOnly: values.account ?? false }))
      print(
        [mail.id, mail.createdAt, mail.status, mail.kind, mail.recipient, mail.subject].join("  "),
      );
  });
}

/** Shows one mail as text. */
export async function mailShow(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const id = positionals[0];
  if (!id || positionals.length !== 1)
    throw new UsageError("name the mail by its id, as mail:list shows it");
  await withInstall(async () => {
    const mail = await unscopedFindMail(id);
    if (!mail) throw new Refusal(`there is no mail ${id}`);
    print(
      `To: ${mail.recipient}\nSubject: ${mail.subject}\nStatus: ${mail.status}${mail.error ? ` (${mail.error})` : ""}\n\n${(await contentOf(mail)).text}`,
    );
  });
}
