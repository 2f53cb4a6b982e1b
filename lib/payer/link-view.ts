import { referencesOf } from "@/lib/domain/payment-links/references";
import type { Logo } from "@/db/schema/businesses";
import type { PayerLink } from "@/lib/domain/payment-links/payer-rows";
import { paymentUrl } from "@/lib/domain/payment-links/present";
import { referencesOf as paidReferences } from "@/lib/domain/payments/references";
import type { LinkState } from "@/lib/domain/payment-links/rules";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { displayAmount } from "@/lib/kernel/money";
import { readableDayIn, readableTime } from "@/lib/kernel/readable-time";
import type {
  PaidOutcome,
  PayerBusiness,
  PayerView,
  PayNotice,
  PayWay,
  ReceiptProps,
} from "./view";

type Known = Omit<PayerBusiness, "logo"> & { logo: Logo | null };

/** The business of a page; its logo has an address of this site. */
export const businessOf = ({
  name,
  accent,
  supportEmail,
  supportPhone,
  logo,
}: Known): PayerBusiness => ({
  name,
  accent,
  supportEmail,
  supportPhone,
  logo: logo && { src: `/logo/${logo.digest}`, width: logo.width, height: logo.height },
});

export const paidOutcome = ({ status }: PaymentRow): PaidOutcome =>
  status === "refunded" || status === "partially_refunded" || status === "disputed"
    ? status
    : "paid";

type More = {
  notice?: PayNotice;
  payment?: PaymentRow;
  receiptUrl?: string | null;
  ways?: readonly PayWay[];
  watch?: boolean;
};

/** The view of a link in a state. `payment`: the one that paid it, with the address of its receipt. */
/** What a page says of a payment, of its link or of none. */
export const paymentFacts = (
  payment: PaymentRow,
  link: PayerLink["link"] | undefined,
  business: Known & { timeZone: string },
  receiptUrl: string | null,
): ReceiptProps => ({
  business: businessOf(business),
  test: payment.mode === "test",
  title: payment.title,
  amount: displayAmount(payment.amount, payment.currency),
  references: paidReferences(payment, link),
  paidAt: payment.succeededAt,
  paymentId: payment.id,
  timeZone: business.timeZone,
  receiptUrl,
  refunded:
    payment.refundedAmount > 0 ? displayAmount(payment.refundedAmount, payment.currency) : null,
});

export function linkView(row: PayerLink, state: LinkState, more: More = {}): PayerView {
  const { link } = row;
  const known = { business: businessOf(row.business), test: link.mode === "test" };
  const amount = displayAmount(link.amount, link.currency);
  const references = referencesOf(link);
  const address = paymentUrl(link.id, link.mode);
  switch (state) {
    case "deleted":
      return { view: "deleted", ...known };
    case "expired":
    case "cancelled":
      return { view: state, ...known, title: link.title, amount, references };
    case "processing": {
      // Once the link takes money again, the page says how this attempt ended.
      const reloadUrl =
        link.openPaymentId === null ? address : `${address}&attempt=${link.openPaymentId}`;
      return {
        view: "processing",
        ...known,
        title: link.title,
        amount,
        reloadUrl,
        watchUrl: `${reloadUrl}&watch=1`,
        watch: more.watch ?? false,
      };
    }
    case "paid":
      return {
        view: "paid",
        ...known,
        outcome: more.payment ? paidOutcome(more.payment) : "paid",
        title: more.payment?.title ?? link.title,
        amount,
        references: more.payment ? paidReferences(more.payment, link) : references,
        paidAt: link.paidAt,
        paymentId: more.payment?.id ?? null,
        timeZone: row.business.timeZone,
        receiptUrl: more.receiptUrl ?? null,
        refunded:
          more.payment && more.payment.refundedAmount > 0
            ? displayAmount(more.payment.refundedAmount, more.payment.currency)
            : null,
      };
    case "pay":
      return {
        view: "pay",
        ...known,
        id: link.id,
        version: link.version,
        title: link.title,
        description: link.description,
        amount,
        references,
        due: link.dueAt && readableDayIn(link.dueAt, row.business.timeZone),
        expires: link.expiresAt && readableTime(link.expiresAt, row.business.timeZone),
        address,
        ...(more.ways ? { ways: more.ways } : {}),
        ...(more.notice ? { notice: more.notice } : {}),
      };
  }
}
