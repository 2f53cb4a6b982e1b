import type { ActivatedProps, ActivateGoneProps, ActivateProps } from "@/lib/payer/view";
import { Facts, Notice, Seal, sentence, Shell } from "./shell";

export const activateTitle = ({ business }: ActivateProps) =>
  `Save a payment method for ${business.name}`;
export const activatedTitle = ({ business }: ActivatedProps) =>
  `Payment method saved for ${business.name}`;
export const activateGoneTitle = ({ business, reason }: ActivateGoneProps) =>
  `${gone[reason].heading}: ${business.name}`;

export function ActivateView({
  business,
  test,
  action,
  hidden = {},
  title,
  description,
  notice,
}: ActivateProps) {
  return (
    <Shell business={business} test={test} kind="pay state">
      <div className="face">
        {notice?.kind === "declined" ? (
          <Notice tone="bad" lead="Your payment method was not saved.">
            {sentence(notice.reason)} Try again, with the same payment method or another one.
          </Notice>
        ) : null}
        {notice?.kind === "refused" ? (
          <Notice tone="bad" lead="Your payment method was not saved.">
            The payment provider could not accept it. Nothing was saved; please try again later.
          </Notice>
        ) : null}
        {notice?.kind === "cancelled" ? (
          <Notice lead="You came back without saving.">Nothing was saved.</Notice>
        ) : null}
        {notice?.kind === "not_connected" ? (
          <Notice tone="warn" lead="This business saves no payment methods here at the moment.">
            Please ask them what to do.
          </Notice>
        ) : null}
        <p className="kicker">Save a payment method</p>
        <h1 dir="auto" lang="">
          {title}
        </h1>
        {description ? (
          <p className="text" dir="auto" lang="">
            {description}
          </p>
        ) : null}
      </div>
      {notice?.kind === "not_connected" ? null : (
        <form className="stub" method="post" action={action}>
          {Object.entries(hidden).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <button className="button" type="submit">
            Save payment method
          </button>
          <p className="hint">
            Saving it costs nothing. What you already owe {business.name} for a subscription is
            charged to it at once. They may use it for later payments you have agreed to. You finish
            on the payment provider’s own secure page.
          </p>
        </form>
      )}
    </Shell>
  );
}

const brands: Record<string, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  jcb: "JCB",
  unionpay: "UnionPay",
};

export function ActivatedView({ business, test, title, method }: ActivatedProps) {
  const facts = [
    { label: "For", value: title },
    { label: "With", value: business.name },
    ...(method
      ? [
          {
            label: "Method",
            value: `${brands[method.brand.toLowerCase()] ?? method.brand} ending in ${method.last4}`,
          },
          { label: "Valid until", value: method.exp },
        ]
      : []),
  ];
  return (
    <Shell business={business} test={test} kind="receipt state">
      <div className="face">
        <Seal sign="good" tone="good" />
        <h1>Payment method saved</h1>
        <p className="text">{business.name} can now use it for the payments you have agreed to.</p>
      </div>
      <div className="stub">
        <Facts facts={facts} />
      </div>
    </Shell>
  );
}

const gone = {
  used: {
    heading: "Already activated",
    text: "A payment method was saved with this link before, and each link works once. There is nothing more to do.",
  },
  expired: {
    heading: "This activation link has expired",
    text: "It saves no payment method any more. To continue, ask for a new link.",
  },
  revoked: {
    heading: "This payment method was withdrawn",
    text: "The link no longer works and nothing will be charged through it. To continue, ask for a new link.",
  },
} as const;

export function ActivateGoneView({ business, test, reason }: ActivateGoneProps) {
  return (
    <Shell business={business} test={test} kind="state">
      <div className="face">
        {reason === "used" ? (
          <Seal sign="good" tone="good" />
        ) : (
          <Seal sign={reason === "expired" ? "wait" : "gone"} tone="quiet" />
        )}
        <h1>{gone[reason].heading}</h1>
        <p className="text">{gone[reason].text}</p>
      </div>
    </Shell>
  );
}
