import type { EventType } from "@/lib/contract/events";
import type { NotificationKind } from "@/lib/contract/values";

type Happened = { type: string; data: Record<string, unknown> };

const needsPerson = (data: Happened["data"]): boolean =>
  Array.isArray(data.flags) && data.flags.length > 0;

const hasFlag = ({ flags }: Happened["data"], flag: string): boolean =>
  Array.isArray(flags) && flags.includes(flag);

/** Events that members can be notified of. The trigger `queue_events` names the same ones. */
const kinds: Partial<Record<EventType, (data: Happened["data"]) => NotificationKind[]>> = {
  "payment.succeeded": (data) => (needsPerson(data) ? ["payments", "failures"] : ["payments"]),
  // A payer who fails on a link sees it and tries again; a saved method has no one who looks.
  "payment.failed": (data) => (data.tokenization_id ? ["failures"] : []),
  "payment.disputed": () => ["failures"],
  // A person has dealt with a resolved payment already.
  "payment.flagged": (data) => (hasFlag(data, "resolved") ? [] : ["failures"]),
  "refund.failed": () => ["failures"],
};

/** The kinds of notification that an event belongs to. */
export const kindsOf = ({ type, data }: Happened): NotificationKind[] =>
  kinds[type as EventType]?.(data) ?? [];

const SHOWN_CHARACTERS = 4;

/** Host and last characters of a chat's address. The rest of it is a secret. */
export const shownAddress = (url: string): string =>
  `${new URL(url).host}…${url.slice(-SHOWN_CHARACTERS)}`;

const NO_BREAK = "\u2060";

/**
 * A text for a chat, in which nothing of a payer becomes a mention, a link or markup. Slack and Google Chat read `&`, `<` and `>`.
 * Mattermost and Discord read `@all` and `[text](address)`.
 */
export const chatText = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/@(?=(everyone|here|all|channel)\b)/gi, `@${NO_BREAK}`)
    .replace(/(^|[^\w.+-])@(?=\w)/g, `$1@${NO_BREAK}`)
    .replaceAll("](", `]${NO_BREAK}(`);
