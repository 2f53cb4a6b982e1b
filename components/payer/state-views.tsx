import type {
  BusinessPage,
  FormRefusedProps,
  LinkFacts,
  ProcessingProps,
  UnavailableProps,
  UnknownProps,
} from "@/lib/payer/view";
import { Amount, Facts, referenceFacts, Seal, Shell } from "./shell";

export const processingTitle = ({ business }: ProcessingProps) => `In progress: ${business.name}`;
export const expiredTitle = ({ business }: BusinessPage & LinkFacts) =>
  `Expired payment link of ${business.name}`;
export const cancelledTitle = ({ business }: BusinessPage & LinkFacts) =>
  `Cancelled payment link of ${business.name}`;
export const deletedTitle = ({ business }: BusinessPage) =>
  `Removed payment link of ${business.name}`;
export const unknownTitle = () => "Page not found";
export const unavailableTitle = () => "Not available for the moment";
export const formRefusedTitle = () => "Not accepted";

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
        {watch ? <p className="hint">This page checks every five seconds.</p> : null}
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
}: BusinessPage & { heading: string; text: string; link: LinkFacts }) {
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

export function ExpiredView({ business, test, ...link }: BusinessPage & LinkFacts) {
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

export function CancelledView({ business, test, ...link }: BusinessPage & LinkFacts) {
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

export function DeletedView({ business, test }: BusinessPage) {
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
    "There is no payment link at this address. Part of it may be missing: open the link from your message again, or ask the sender.",
  activation:
    "Nothing can be activated at this address. Part of it may be missing: open the link from your message again, or ask the sender.",
  page: "There is nothing at this address. Part of it may be missing: open the link from your message again, or ask the sender.",
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
          This page isn’t available right now. It’s usually back within a minute. If you have just
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

const refusals = {
  cross_site: "It came from another website, not from its own page.",
  not_the_form: "Your browser sent a form that doesn’t match this page.",
  refused: "The form asked for an action that isn’t possible right now.",
} as const;

export function FormRefusedView({ reason, reloadUrl }: FormRefusedProps) {
  return (
    <Shell business={null} test={false} kind="state">
      <div className="face">
        <Seal sign="stop" tone="quiet" />
        <h1>We did not accept this form</h1>
        <p className="text">{refusals[reason]} Nothing was taken.</p>
      </div>
      <div className="stub">
        <a className="button quiet" href={reloadUrl}>
          Open the page again
        </a>
      </div>
    </Shell>
  );
}
