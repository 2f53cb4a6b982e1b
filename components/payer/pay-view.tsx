import type { PayNotice, PayProps } from "@/lib/payer/view";
import { PayWays } from "./pay-ways";
import { Amount, Facts, Notice, referenceFacts, sentence, Shell } from "./shell";

export const payTitle = ({ amount, business }: PayProps) => `Pay ${amount} to ${business.name}`;

/** `qr`: markup as `qrSvg` draws it; none in previews. */
export function PayView({
  business,
  test,
  id,
  version,
  title,
  description,
  amount,
  references = [],
  due,
  expires,
  address,
  ways = [],
  qr,
  notice,
}: PayProps & { qr?: string }) {
  return (
    <Shell business={business} test={test} kind="pay" wide amount={amount}>
      <div className="face">
        {notice ? <PayNoticeBox notice={notice} canChoose={ways.length > 0} /> : null}
        <h1 dir="auto" lang="">
          {title}
        </h1>
        <Amount amount={amount} />
        {description ? (
          <p className="text" dir="auto" lang="">
            {description}
          </p>
        ) : null}
        <Facts
          facts={[
            ...referenceFacts(references),
            ...(due ? [{ label: "Due", value: due }] : []),
            ...(expires ? [{ label: "Pay before", value: expires }] : []),
          ]}
        />
      </div>
      {notice?.kind === "not_connected" ? null : (
        <form
          className={ways.length > 0 ? "stub choosing" : "stub"}
          method="post"
          // The address of this page, so that "Try again" after a press that failed leads back here.
          action={`/pay?id=${id}${test ? "&test=true" : ""}`}
        >
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="version" value={version} />
          {test ? <input type="hidden" name="test" value="true" /> : null}
          {ways.length > 0 ? <PayWays ways={ways} /> : null}
          <div className="go">
            <button className="button" type="submit">
              Pay {amount}
            </button>
          </div>
          <p className="hint">You finish on the payment provider’s own secure page.</p>
        </form>
      )}
      {qr ? (
        <div className="elsewhere">
          <details>
            <summary>Pay on another device</summary>
            <div
              className="qr"
              role="img"
              aria-label="QR code that opens this payment page"
              dangerouslySetInnerHTML={{ __html: qr }}
            />
            <p className="address">{address}</p>
          </details>
        </div>
      ) : null}
    </Shell>
  );
}

/** `canChoose`: the page offers more than one way to pay. */
function PayNoticeBox({ notice, canChoose }: { notice: PayNotice; canChoose: boolean }) {
  switch (notice.kind) {
    case "declined":
      return (
        <Notice tone="bad" lead="The payment did not go through.">
          {sentence(notice.reason)} Nothing was taken; you can try again.
        </Notice>
      );
    case "other_amount":
      return (
        <Notice tone="warn" lead="A different amount arrived than the business asked for.">
          Ask the business before you pay again.
        </Notice>
      );
    case "unconfirmed":
      return (
        <Notice tone="warn" lead="Your last payment was never confirmed.">
          If money was taken, ask the business before you pay again.
        </Notice>
      );
    case "refused":
      return (
        <Notice tone="bad" lead="The payment did not go through.">
          The payment provider could not accept it. Nothing was taken; please try again later.
        </Notice>
      );
    case "too_small":
      return (
        <Notice tone="bad" lead="This amount cannot be paid here.">
          The payment provider does not take an amount this small. Nothing was taken; please ask the
          business how to pay.
        </Notice>
      );
    case "no_answer":
      return (
        <Notice
          tone="bad"
          lead={
            canChoose
              ? "This payment method isn’t responding right now."
              : "The payment provider isn’t responding right now."
          }
        >
          Nothing was taken.{" "}
          {canChoose
            ? "Please choose another way, or try again in a few minutes."
            : "Please try again in a few minutes."}
        </Notice>
      );
    case "checking":
      return (
        <Notice tone="warn" lead="An earlier payment is still being checked.">
          If you have just paid, don’t pay again. Otherwise please try again in a few minutes.
        </Notice>
      );
    case "not_offered":
      return (
        <Notice tone="warn" lead="This payment method isn’t available right now.">
          Nothing was taken.{" "}
          {canChoose
            ? "Please choose another way, or another bank."
            : "Please pay on the payment provider’s own page instead."}
        </Notice>
      );
    case "not_connected":
      return (
        <Notice tone="warn" lead="This business takes no payments here at the moment.">
          {notice.pressed
            ? "Nothing was taken; please ask them how to pay."
            : "Please ask them how to pay."}
        </Notice>
      );
    case "still_open":
      return (
        <Notice tone="warn" lead="Your first payment page is still open.">
          We couldn’t close it. We won’t open another one, because you might pay twice.{" "}
          <a href={notice.url}>Go back to that page</a>, or try again in a few minutes.
        </Notice>
      );
    case "changed":
      return (
        <Notice tone="warn" lead="This page has changed.">
          Nothing was taken. Please check the amount before you pay.
        </Notice>
      );
    case "cancelled":
      return (
        <Notice lead="You came back without paying.">
          Nothing was taken. You can pay whenever you are ready.
        </Notice>
      );
  }
}
