import type { NotificationSettings, NotificationSettingsInput } from "@/lib/contract/notifications";
import { type NotificationKind, notificationKinds } from "@/lib/contract/values";
import { env } from "@/lib/env";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import { seal, unseal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { objection } from "@/lib/kernel/public-address";
import { findSettings, putSettings, type SettingsRow } from "./rows";
import { shownAddress } from "./rules";

/** The person who calls. Only signed-in staff reach these verbs. */
export function personOf({ actor }: Ctx): string {
  if (actor.kind !== "person" || !actor.id) throw new Error("notifications are of a person");
  return actor.id;
}

/** The chat's address of a row, or null. */
export const chatUrlOf = ({ chatUrl }: Pick<SettingsRow, "chatUrl">): string | null =>
  chatUrl === null ? null : unseal(chatUrl, "chat");

function present(row: SettingsRow | undefined): NotificationSettings {
  const url = row ? chatUrlOf(row) : null;
  return {
    mail: row?.mail ?? [],
    chat: row?.chat ?? [],
    chat_address: url === null ? null : shownAddress(url),
    chat_off: row?.chatOff ?? false,
    chat_problem: row?.chatProblem ?? null,
  };
}

/** What the caller has chosen for this business. */
export async function getSettings(ctx: Ctx): Promise<NotificationSettings> {
  return present(await findSettings(ctx, personOf(ctx)));
}

/** What speaks against a chat's address: the same as against a webhook's. */
export function validateChat({ chat_url: url }: { chat_url?: string | null }): FieldErrors {
  const text = url ? objection(new URL(url), env.WEBHOOK_ALLOW_PRIVATE) : null;
  return text === null ? {} : { chat_url: [text.replace("The url", "The chat url")] };
}

const unique = (kinds: readonly NotificationKind[]) =>
  notificationKinds.filter((kind) => kinds.includes(kind));

/** Keeps what the caller chooses. Throws 422 on `chat_url` for an address that is refused, or on `chat` without one. */
export async function updateSettings(
  ctx: Ctx,
  { mail, chat, chat_url: url }: NotificationSettingsInput,
): Promise<NotificationSettings> {
  assertNone(validateChat({ chat_url: url }));
  return commit(ctx, async (tx) => {
    const before = await findSettings(ctx, personOf(ctx), tx);
    const isSet = url === undefined ? before?.chatUrl != null : url !== null;
    assertNone(isSet || chat.length === 0 ? {} : { chat_url: ["The chat url field is required."] });
    const row = await putSettings(ctx, tx, personOf(ctx), {
      mail: unique(mail),
      chat: unique(chat),
      ...(url === undefined
        ? {}
        : {
            chatUrl: url === null ? null : seal(url, "chat"),
            chatOff: false,
            chatProblem: null,
          }),
    });
    // Records of the business leave it by this address.
    if (ctx.audit) Object.assign(ctx.audit.details, { chat_host: hostOf(row) });
    return present(row);
  });
}

const hostOf = (row: SettingsRow): string | null => {
  const url = chatUrlOf(row);
  return url === null ? null : new URL(url).host;
};
