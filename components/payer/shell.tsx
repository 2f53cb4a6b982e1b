import type { ReactNode } from "react";
import type { PageProps, PayerBusiness } from "@/lib/payer/view";

export type Fact = { label: string; value: ReactNode };

function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? "");
  return letters.join("").toLocaleUpperCase("en");
}

/** How much room the hero needs: the sizes are classes, since style attributes are not allowed here. */
function amountSize(amount: string | undefined): string {
  const digits = (amount ?? "").split(" ").at(-1)?.length ?? 0;
  return digits > 8 ? " l" : digits > 6 ? " m" : "";
}

type ShellProps = PageProps & {
  kind: "pay" | "pay state" | "state" | "receipt state";
  wide?: boolean;
  amount?: string;
  children: ReactNode;
};

/** Everything around the sheet. The business's name is said once here, so the sheet need not repeat it. */
export function Shell({ business, test, kind, wide, amount, children }: ShellProps) {
  return (
    <>
      {test ? (
        <div className="test" role="status">
          <strong>Test mode.</strong> No real money moves on this page.
        </div>
      ) : null}
      <div className={`wrap ${kind}${wide ? " wide" : ""}${amountSize(amount)}`}>
        {business ? (
          <header className="who">
            {business.logo ? (
              // biome-ignore lint/performance/noImgElement: this page has no script
              <img className="logo" {...business.logo} alt="" />
            ) : (
              <span className="mark" aria-hidden="true">
                {initials(business.name)}
              </span>
            )}
            <span dir="auto" lang="">
              {business.name}
            </span>
          </header>
        ) : null}
        <main className="sheet">{children}</main>
        <footer>
          {business ? <Support business={business} /> : null}
          <p>Collected with Kutip</p>
        </footer>
      </div>
    </>
  );
}

function Support({ business: { name, supportEmail, supportPhone } }: { business: PayerBusiness }) {
  if (!supportEmail && !supportPhone) return null;
  return (
    <p>
      Questions? Ask <bdi lang="">{name}</bdi>:{" "}
      {supportEmail ? (
        <a href={`mailto:${encodeURIComponent(supportEmail).replace("%40", "@")}`}>
          {supportEmail}
        </a>
      ) : null}
      {supportEmail && supportPhone ? " or " : null}
      {supportPhone ? (
        <a href={`tel:${supportPhone.replace(/[^\d+]/g, "")}`}>{supportPhone}</a>
      ) : null}
    </p>
  );
}

/** The hero. Takes a display amount, "MYR 12.34", and reads as exactly that. */
export function Amount({ amount }: { amount: string }) {
  const blank = amount.indexOf(" ");
  return (
    <p className="amount">
      <span className="code">{amount.slice(0, blank)}</span> <span>{amount.slice(blank + 1)}</span>
    </p>
  );
}

/** What just happened, above everything else on the sheet. A bad one is read out at once. */
export function Notice({
  tone,
  lead,
  children,
}: {
  tone?: "bad" | "warn";
  lead: string;
  children: ReactNode;
}) {
  return (
    <div className={tone ? `notice ${tone}` : "notice"} role={tone ? "alert" : "status"}>
      <strong>{lead}</strong> {children}
    </div>
  );
}

/** A reason from outside as one sentence: with its full stop. */
export const sentence = (reason: string) =>
  /[.!?…]$/.test(reason.trim()) ? reason.trim() : `${reason.trim()}.`;

export function Facts({ facts }: { facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <dl className="facts">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto" lang="">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** "Reference" and "Reference 2", as the business named them in the link; absent ones take no room. */
export function referenceFacts(references: readonly (string | null | undefined)[]): Fact[] {
  return references.flatMap((value, index) =>
    value ? [{ label: index === 0 ? "Reference" : `Reference ${index + 1}`, value }] : [],
  );
}

const strokes = {
  good: "M15.5 24.6l6 6L33 18.4",
  wait: "M24 14.5V24l6.5 4",
  stop: "M17.5 17.5l13 13m0-13l-13 13",
  gone: "M15 24h18",
  ask: "M19.2 19.4a4.9 4.9 0 1 1 7 4.6c-1.5.7-2.2 1.7-2.2 3.2m0 5.3v.2",
} as const;

/** A rosette like the seal on a certificate: twelve scallops and one sign. Decoration: the heading beside it says the same. */
export function Seal({
  sign,
  tone,
}: {
  sign: keyof typeof strokes;
  tone: "good" | "warn" | "bad" | "quiet";
}) {
  return (
    <svg
      className={`seal ${tone}`}
      viewBox="0 0 48 48"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path fill="currentColor" fillOpacity=".12" strokeWidth="1.6" d={rosette} />
      <path d={strokes[sign]} />
    </svg>
  );
}

const rosette = (() => {
  const scallops = 12;
  const point = (index: number) => {
    const angle = (index / scallops) * 2 * Math.PI;
    return `${(24 + 20.5 * Math.cos(angle)).toFixed(1)} ${(24 + 20.5 * Math.sin(angle)).toFixed(1)}`;
  };
  return `M${point(0)}${Array.from({ length: scallops }, (_, index) => `A5.6 5.6 0 0 1 ${point(index + 1)}`).join("")}z`;
})();
