import { overSet } from "@/db/sets";
import { env } from "@/lib/env";
import { createMailTransport, type MailTransport } from "@/lib/mail/transport";
import { composeFor } from "@/lib/domain/mails/compose";
import { dueMails } from "@/lib/domain/mails/rows";
import { defineConsumer } from "@/lib/domain/events/consume";
import { queuedEvents } from "@/lib/domain/events/queue-rows";
import { defineJob } from "@/lib/jobs/define";
import { sendMail } from "./steps";

/** Turns events that ask for a mail into rows of the outbox, each once. */
export const mailComposition = defineConsumer({
  name: "compose mails",
  consumer: "mails",
  batch: 200,
  consume: async (tx, rows) => {
    await overSet(tx, await queuedEvents(tx, rows), (event) => composeFor(tx, event));
  },
});

/** Sends the mails that are due: by `transport`, which tests give, else by the mail server of the settings. */
export function defineMailSending(given?: MailTransport) {
  let transport = given;
  return defineJob({
    name: "send mails",
    due: dueMails,
    shownAs: "mails",
    perTenant: 8,
    work: async ([mail]) => {
      transport ??= createMailTransport(env.SMTP_URL ?? null);
      if (mail) await sendMail(transport, mail);
    },
    close: () => transport?.close(),
  });
}

export const mailSending = defineMailSending();
