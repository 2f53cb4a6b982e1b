import type { PaymentWithPayer } from "@/lib/contract/payments";
import type { Refund } from "@/lib/contract/refunds";
import { displayAmount } from "@/lib/kernel/money";
import { chatText } from "./rules";

/** An event that a message is about, with its payment as it is now. */
export type Happening = {
  type: string;
  data: Record<string, unknown>;
  payment: PaymentWithPayer;
};
export type DaySum = { currency: string; sum: number; count: number };

/** A message in plain text, before it is made a mail or a chat's text. */
export type Message = {
  heading: string;
  lines: string[];
  /** Of how many events there is no line. */
  more?: number;
  /** Where the dashboard shows it, below the business and mode. */
  place: string;
};

const MAX_LINES = 20;
/** Of a title or a message of a gateway. */
const MAX_PART = 120;
/** Of a chat's text. Discord refuses more than 2,000 for good; Slack, Mattermost and Google Chat take more. */
const MAX_CHAT = 1_900;
const MAX_CHAT_HEADING = 300;

const short = (text: string, max = MAX_PART): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return [...line].length <= max ? line : `${[...line].slice(0, max).join("")}…`;
};
const many = (count: number, noun: string) =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const list = (parts: readonly string[]) => new Intl.ListFormat("en").format(parts);

/** "MYR 37.50 and USD 5.00". */
function sumsOf(amounts: readonly { amount: number; currency: string }[]): string {
  const sums = Map.groupBy(amounts, ({ currency }) => currency);
  return list(
    [...sums].map(([currency, all]) =>
      displayAmount(
        all.reduce((sum, { amount }) => sum + amount, 0),
        currency,
      ),
    ),
  );
}

/** What a person does about a flag of money that came in. */
const flags: Record<string, string> = {
  duplicate: "its link was already paid",
  late: "it came after its link had ended or its amount was changed",
};

/** One event in one line. */
export function lineOf({ type, data, payment }: Happening): string {
  const { amount, currency, email, title, message } = payment;
  const money = displayAmount(amount, currency);
  const from = email ? ` from ${email}` : "";
  const what = `${money}${from} for “${short(title)}”`;
  const why = (text: unknown) => (typeof text === "string" && text ? `: ${short(text)}` : "");
  switch (type) {
    case "payment.succeeded": {
      const odd = payment.flags.flatMap((flag) => flags[flag] ?? []);
      return odd.length > 0 ? `${what} (${list(odd)}: refund it or fulfil the order)` : what;
    }
    case "payment.failed":
      return `Not collected: ${what}${why(data.message)}`;
    case "payment.disputed":
      return data.dispute_status === "won"
        ? `Dispute won: ${what}`
        : data.dispute_status === "lost"
          ? `Dispute lost: ${what}`
          : `Disputed by the payer's bank: ${what}`;
    case "refund.failed": {
      const refund = data as Pick<Refund, "amount" | "currency" | "message">;
      const back = displayAmount(refund.amount, refund.currency);
      return `A refund failed: ${back}${email ? ` to ${email}` : ""} for “${short(title)}”${why(refund.message)}`;
    }
    default:
      return `Needs attention: ${what}${why(message)}`;
  }
}

/** The message about events of a business; undefined where none of them has a payment any more. */
export function messageOf(happenings: readonly Happening[]): Message | undefined {
  const [first] = happenings;
  if (!first) return undefined;
  const arrived = happenings.filter(({ type }) => type === "payment.succeeded");
  const others = happenings.length - arrived.length;
  const lines = happenings.slice(0, MAX_LINES).map(lineOf);
  const amounts = arrived.map(({ payment }) => payment);
  const heading = [
    ...(arrived.length > 0
      ? [
          arrived.length === 1
            ? `${sumsOf(amounts)} received`
            : `${many(arrived.length, "payment")} received: ${sumsOf(amounts)}`,
        ]
      : []),
    ...(others > 0 ? [`${many(others, "payment")} to look at`] : []),
  ].join(", ");
  return {
    heading,
    lines,
    more: happenings.length - lines.length,
    place: happenings.length === 1 ? `/payments/${first.payment._id}` : "/payments",
  };
}

/** The summary of a day; undefined for a day without payments and failures. */
export function dailyMessage(
  day: string,
  collected: readonly DaySum[],
  failed: readonly DaySum[],
): Message | undefined {
  const total = (sums: readonly DaySum[]) => sums.reduce((all, { count }) => all + count, 0);
  if (total(collected) + total(failed) === 0) return undefined;
  const money = (sums: readonly DaySum[]) =>
    sums.map(({ currency, sum, count }) => `${displayAmount(sum, currency)} (${count})`);
  const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return {
    heading: `${date.format(new Date(day))}: ${many(total(collected), "payment")}, ${many(total(failed), "failure")}`,
    lines: [
      ...(total(collected) > 0 ? [`Collected: ${list(money(collected))}`] : []),
      ...(total(failed) > 0 ? [`Failed: ${list(money(failed))}`] : []),
    ],
    place: `?from=${day}&to=${day}`,
  };
}

/** The lines of a message, with how many more there are. */
export const withMore = (lines: readonly string[], more = 0): string[] => [
  ...lines,
  ...(more > 0 ? [`And ${more.toLocaleString("en")} more.`] : []),
];

/** A message as a chat's text. What every chat takes counts: lines that make it longer are left out and counted. */
export function chatMessage(
  business: string,
  { heading, lines, more = 0 }: Omit<Message, "place">,
  address: string,
): string {
  const first = `${chatText(short(business))}: ${chatText(short(heading, MAX_CHAT_HEADING))}`;
  const said = lines.map(chatText);
  const textOf = (shown: number) =>
    [
      first,
      ...withMore(said.slice(0, shown), more + said.length - shown).map((line) => `• ${line}`),
      address,
    ].join("\n");
  let shown = said.length;
  while (shown > 0 && textOf(shown).length > MAX_CHAT) shown--;
  return textOf(shown);
}
