import {
  Amount,
  Facts,
  type PageProps,
  type PayerBusiness,
  referenceFacts,
  Seal,
  Shell,
} from "./shell";

type Known = PageProps & { business: PayerBusiness };

/** What a page that takes no money still says about the link, so that the payer can ask the business about it. */
type LinkFacts = {
  title: string;
  amount: string;
  references?: readonly (string | null | undefined)[];
};

/**
 * An outcome is awaited. With `watch` the page loads itself again every five seconds: only after the payer asked for it
 * (`watchUrl`), since a page that reloads unasked throws screen readers back to its top.
 */
export type ProcessingProps = Known & {
  title: string;
  amount?: string | null;
  reloadUrl: string;
  watchUrl?: string | null;
  watch?: boolean;
};
export type ExpiredProps = Known & LinkFacts;
export type CancelledProps = Known & LinkFacts;
export type DeletedProps = Known;
/** `what`: which kind of address was opened; nothing may be said about whose it was. */
export type UnknownProps = { what?: "payment" | "activation" | "page" };
/** The records cannot be reached. `reloadUrl` is the address that was asked for. */
export type UnavailableProps = { reloadUrl: string };

export const processingTitle = ({ business }: ProcessingProps) => `In progress: ${business.name}`;
export const expiredTitle = ({ business }: ExpiredProps) =>
  `Expired payment link of ${business.name}`;
export const cancelledTitle = ({ business }: CancelledProps) =>
  `Cancelled payment link of ${business.name}`;
export const deletedTitle = ({ business }: DeletedProps) =>
  `Removed payment link of ${business.name}`;
export const unknownTitle = () => "Page not found";
export const unavailableTitle = () => "Not available for the moment";

export function ProcessingView({
  business,
  test,
  title,
  amount,
  reloadUrl,
  watchUrl,
  watch,
}: ProcessingProps) {
  return (
    <Shell business={business} test={test} kind="state" amount={amount ?? undefined}>
      <div className="face">
        <Seal sign="wait" tone="warn" />
        <h1>{amount ? "Your payment is being processed" : "Your payment method is being saved"}</h1>
        <p className="text">
          {amount
            ? "The outcome is not known yet. Please do not pay again: this page will say how it ended."
            : "The outcome is not known yet; this page will say how it ended."}
        </p>
        {amount ? <Amount amount={amount} /> : null}
        <Facts facts={[{ label: "For", value: title }]} />
      </div>
      <div className="stub">
        <a className="button quiet" href={reloadUrl}>
          {watch ? "Stop checking" : "Check again"}
        </a>
        {watch ? <p className="hint">This page checks by itself every five seconds.</p> : null}
        {!watch && watchUrl ? (
          <p className="more">
            <a href={watchUrl}>Keep checking for me</a>
          </p>
        ) : null}
      </div>
    </Shell>
  );
}

function ClosedLink({
  heading,
  text,
  link,
  ...page
}: Known & { heading: string; text: string; link: LinkFacts }) {
  return (
    <Shell {...page} kind="state">
      <div className="face">
        <Seal sign={heading.endsWith("expired") ? "wait" : "stop"} tone="quiet" />
        <h1>{heading}</h1>
        <p className="text">{text}</p>
      </div>
      <div className="stub">
        <Facts
          facts={[
            { label: "For", value: link.title },
            { label: "Amount", value: link.amount },
            ...referenceFacts(link.references ?? []),
          ]}
        />
      </div>
    </Shell>
  );
}

export function ExpiredView({ business, test, ...link }: ExpiredProps) {
  const text = `It can no longer be paid. If you still want to pay, ask ${business.name} for a new one.`;
  return (
    <ClosedLink
      business={business}
      test={test}
      heading="This payment link has expired"
      text={text}
      link={link}
    />
  );
}

export function CancelledView({ business, test, ...link }: CancelledProps) {
  const text = `${business.name} has cancelled it, so there is nothing to pay here. If that is a surprise, ask them.`;
  return (
    <ClosedLink
      business={business}
      test={test}
      heading="This payment link was cancelled"
      text={text}
      link={link}
    />
  );
}

export function DeletedView({ business, test }: DeletedProps) {
  return (
    <Shell business={business} test={test} kind="state">
      <div className="face">
        <Seal sign="gone" tone="quiet" />
        <h1>This payment link was removed</h1>
        <p className="text">
          {business.name} has withdrawn it, so nothing can be paid here. If you expected to pay, ask
          them for a new link.
        </p>
      </div>
    </Shell>
  );
}

const lost = {
  payment:
    "There is no payment link at this address. Part of it may be missing: open the link from your message again, or ask whoever sent it.",
  activation:
    "Nothing can be activated at this address. Part of it may be missing: open the link from your message again, or ask whoever sent it.",
  page: "There is nothing at this address. Part of it may be missing: open the link from your message again, or ask whoever sent it.",
} as const;

export function UnknownView({ what = "page" }: UnknownProps) {
  return (
    <Shell business={null} test={false} kind="state">
      <div className="face">
        <Seal sign="ask" tone="quiet" />
        <h1>We cannot find this page</h1>
        <p className="text">{lost[what]}</p>
      </div>
    </Shell>
  );
}

export function UnavailableView({ reloadUrl }: UnavailableProps) {
  return (
    <Shell business={null} test={false} kind="state">
      <div className="face">
        <Seal sign="wait" tone="warn" />
        <h1>Not available for the moment</h1>
        <p className="text">
          We cannot reach our records just now; it seldom takes more than a minute. If you have just
          paid, do not pay again: this page will then say how it ended.
        </p>
      </div>
      <div className="stub">
        <a className="button quiet" href={reloadUrl}>
          Try again
        </a>
      </div>
    </Shell>
  );
}
