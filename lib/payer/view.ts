import type { PayMethod, PayOption } from "@/lib/contract/values";

/** The business that a page speaks for. `accent` is `#rrggbb`; the contacts are shown in the footer. */
export type PayerBusiness = {
  name: string;
  accent?: string | null;
  /** Sides in pixels, as the file has them. */
  logo?: { src: string; width: number; height: number } | null;
  supportEmail?: string | null;
  supportPhone?: string | null;
};

/** The payer's e-mail address is left out on purpose: anyone who has the address of a page can open it. */
export type PageProps = { business: PayerBusiness | null; test: boolean };
export type BusinessPage = PageProps & { business: PayerBusiness };

type References = readonly (string | null | undefined)[];

/**
 * Why the payer sees this page again. `reason`: a sentence from the gateway. `other_amount`: the attempt took an amount that was not asked for.
 * `unconfirmed`: staff ended the attempt without the gateway's word, so its money may have been taken.
 * `refused`: the gateway did not open a page. `too_small`: nor will it for this amount. `no_answer`: it did not answer. `checking`: an earlier attempt may
 * have been paid.
 * `not_offered`: the choice is not available now. `not_connected`: the business has no payment provider, so the page has no button. `still_open`: the
 * page of an earlier choice could not be closed.
 */
export type PayNotice =
  | { kind: "declined"; reason: string }
  | { kind: "other_amount" }
  | { kind: "unconfirmed" }
  | { kind: "refused" }
  | { kind: "too_small" }
  | { kind: "no_answer" }
  | { kind: "checking" }
  | { kind: "not_offered" }
  | { kind: "not_connected"; pressed: boolean }
  | { kind: "still_open"; url: string }
  | { kind: "changed" }
  | { kind: "cancelled" };

/** A way to pay that the payer can choose, with its banks or wallets. */
export type PayWay = { method: PayMethod; options: readonly PayOption[] };

export type PayProps = BusinessPage & {
  id: string;
  /** The link's version: the form carries the one that the payer has seen. */
  version: string | number;
  title: string;
  description?: string | null;
  /** From `displayAmount`: "MYR 12.34". */
  amount: string;
  references?: References;
  /** The day, "3 December 2026". */
  due?: string | null;
  /** When the link ends, as the payer reads it; null when it does not. */
  expires?: string | null;
  /** The link's payment_url. */
  address: string;
  /** The ways to pay; empty or absent where there is nothing to choose. */
  ways?: readonly PayWay[];
  notice?: PayNotice | null;
};

export type ReceiptProps = BusinessPage & {
  title: string;
  /** From `displayAmount`. */
  amount: string;
  references?: References;
  /** ISO 8601 UTC, null while nothing is settled. */
  paidAt?: string | null;
  paymentId?: string | null;
  /** The business's IANA zone, shown beside UTC. */
  timeZone?: string | null;
  /** From `displayAmount`: the refunds so far, null for none. */
  refunded?: string | null;
  /** Where the receipt is downloaded as a PDF; null without one. */
  receiptUrl?: string | null;
};

/** What became of the money that paid a link. */
export type PaidOutcome = "paid" | "refunded" | "partially_refunded" | "disputed";
export type PaidProps = ReceiptProps & { outcome: PaidOutcome };

/** Where the browser ends without a redirect_url, or with money that did not pay its link. `pending`: taken by the gateway, not settled yet. */
export type ThankYouProps = ReceiptProps &
  (
    | { outcome: PaidOutcome }
    /** The money came, and the link does not count as paid by it: it was closed or changed, or other money had paid it. */
    | { outcome: "late" | "duplicate" }
    /** `lookedAt`: ISO 8601 UTC, when this page was made; the page loads itself again until it is settled. */
    | { outcome: "pending"; lookedAt: string; reloadUrl: string }
  );

/** What a page that takes no money still says about the link, so that the payer can ask the business about it. */
export type LinkFacts = { title: string; amount: string; references?: References };

/** With `watch` the page reloads itself, which the payer asked for by `watchUrl`: a reload takes screen readers back to the top. */
export type ProcessingProps = BusinessPage & {
  title: string;
  amount?: string | null;
  reloadUrl: string;
  watchUrl?: string | null;
  watch?: boolean;
};

/** As for a payment. `not_connected`: the business has no payment provider that saves methods, so the page has no button. */
export type ActivateNotice =
  | { kind: "declined"; reason: string }
  | { kind: "refused" }
  | { kind: "cancelled" }
  | { kind: "not_connected" };

/** `action`: the path the form posts to, usually the page's own. `hidden`: fields the post needs besides. */
export type ActivateProps = BusinessPage & {
  action: string;
  hidden?: Readonly<Record<string, string>>;
  title: string;
  description?: string | null;
  notice?: ActivateNotice | null;
};

/** `exp` is "MM/YYYY", as the gateway has it. */
export type ActivatedProps = BusinessPage & {
  title: string;
  method?: { brand: string; last4: string; exp: string } | null;
};

export type ActivateGoneProps = BusinessPage & { reason: "used" | "expired" | "revoked" };

/** `what`: which kind of address was opened. The page says nothing about its owner. */
export type UnknownProps = { what?: "payment" | "activation" | "page" };

/** The records cannot be reached. `reloadUrl` is the address that was asked for. */
export type UnavailableProps = { reloadUrl: string };

/** `cross_site`: another site's page sent the form. `not_the_form`: it is too large, or no form. `refused`: any other refusal. `reloadUrl`: the page that has the form. */
export type FormRefusedProps = {
  reason: "cross_site" | "not_the_form" | "refused";
  reloadUrl: string;
};

/** `action`: where the pressed `outcome` (and `declines`, 1 to 20, with `approve_declines`) is posted, with `hidden` beside it. */
export type SimulatorProps = {
  action: string;
  hidden?: Readonly<Record<string, string>>;
  title: string;
} & ({ purpose: "pay"; amount: string } | { purpose: "save" });

/** A session that takes no more presses; `result` says in a sentence how it ended. */
export type SimulatorFinishedProps = { result: string; backUrl?: string | null };

/** What a payer page shows. `components/payer` draws it. */
export type PayerView =
  | ({ view: "pay" } & PayProps)
  | ({ view: "paid" } & PaidProps)
  | ({ view: "thank_you" } & ThankYouProps)
  | ({ view: "processing" } & ProcessingProps)
  | ({ view: "expired" } & BusinessPage & LinkFacts)
  | ({ view: "cancelled" } & BusinessPage & LinkFacts)
  | ({ view: "deleted" } & BusinessPage)
  | ({ view: "unknown" } & UnknownProps)
  | ({ view: "unavailable" } & UnavailableProps)
  | ({ view: "form_refused" } & FormRefusedProps)
  | ({ view: "activate" } & ActivateProps)
  | ({ view: "activated" } & ActivatedProps)
  | ({ view: "activate_gone" } & ActivateGoneProps)
  | ({ view: "simulator" } & SimulatorProps)
  | ({ view: "simulator_finished" } & SimulatorFinishedProps)
  | { view: "simulator_unknown" };

/** A finished page. `styleHash` is the CSP source without its quotes, `sha256-…`; `status` the HTTP status it belongs under. */
export type PayerDocument = {
  html: string;
  styleHash: string;
  status: 200 | 403 | 404 | 410 | 415 | 503;
  /** After how long the browser is to load the page again. */
  refreshSeconds: number | undefined;
};

/** Draws a view as a whole HTML document. */
export type Render = (view: PayerView) => Promise<PayerDocument>;
