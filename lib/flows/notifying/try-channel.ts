import type { NotificationTest } from "@/lib/contract/notifications";
import type { NotificationChannel } from "@/lib/contract/values";
import { findBusiness } from "@/lib/domain/businesses/rows";
import type { Ctx } from "@/lib/domain/context";
import { chatMessage } from "@/lib/domain/notifications/compose";
import { findSettings, noteChat } from "@/lib/domain/notifications/rows";
import { shownAddress } from "@/lib/domain/notifications/rules";
import { chatUrlOf, personOf } from "@/lib/domain/notifications/settings";
import { testMail } from "@/lib/domain/overview/test-mail";
import { env } from "@/lib/env";
import { consume } from "@/lib/domain/limits/limits";
import { conflict } from "@/lib/kernel/problem";
import { createSender } from "../webhook-delivery/sender";

const MAX_ANSWER = 200;

/** Sends the caller a message by a channel. Throws 403 while their address is not confirmed, 409 without a server or a chat, and 429. */
export async function testChannel(
  ctx: Ctx,
  channel: NotificationChannel,
): Promise<NotificationTest> {
  if (channel === "mail")
    return { recipient: (await testMail(ctx)).recipient, error: null, answer: null };
  const settings = await findSettings(ctx, personOf(ctx));
  const url = settings ? chatUrlOf(settings) : null;
  if (!settings || url === null) throw conflict("No chat is saved.");
  await consume("account_mail_sender", personOf(ctx));
  const business = await findBusiness(ctx.businessId);
  const text = chatMessage(
    business?.name ?? "Kutip",
    { heading: "this is a test of your notifications.", lines: [] },
    `${env.BASE_URL}/b/${ctx.businessId}/live`,
  );
  const sender = createSender({ allowPrivate: env.WEBHOOK_ALLOW_PRIVATE });
  try {
    const { error, response } = await sender.post(url, {}, JSON.stringify({ text }));
    if (error === null) await noteChat(ctx, settings, { chatOff: false, chatProblem: null });
    return { recipient: shownAddress(url), error, answer: response?.slice(0, MAX_ANSWER) ?? null };
  } finally {
    sender.close();
  }
}
