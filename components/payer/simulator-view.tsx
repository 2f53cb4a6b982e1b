import type { ReactNode } from "react";
import type { SimulatorFinishedProps, SimulatorProps } from "@/lib/payer/view";

type Outcome = { value: string; label: string; hint: string };

const payOutcomes: readonly Outcome[] = [
  {
    value: "approve",
    label: "Approve",
    hint: "The money is taken and the merchant is notified at once.",
  },
  { value: "decline", label: "Decline", hint: "Refused this time; another try may work." },
  {
    value: "decline_hard",
    label: "Decline hard",
    hint: "Refused for good; the same card will never work.",
  },
  {
    value: "approve_later",
    label: "Approve later",
    hint: "Pending now, approved a little later by a callback.",
  },
  {
    value: "lose_answer",
    label: "Lose the answer",
    hint: "The money is taken, but the merchant hears nothing for a while.",
  },
  { value: "cancel", label: "Cancel", hint: "Go back without paying." },
];

const saveOutcomes: readonly Outcome[] = [
  { value: "approve", label: "Approve", hint: "A method is saved that works from now on." },
  {
    value: "approve_declines",
    label: "Approve but decline later charges",
    hint: "A method is saved; its next charges are refused, this many times.",
  },
  {
    value: "approve_expires",
    label: "Approve but expire",
    hint: "A method is saved that has expired when it is charged.",
  },
  { value: "decline", label: "Decline", hint: "No method is saved." },
  { value: "cancel", label: "Cancel", hint: "Go back without saving." },
];

export const simulatorTitle = (props: SimulatorProps) =>
  props.purpose === "pay"
    ? `Pay ${props.amount} – Kutip Simulator`
    : "Save a method – Kutip Simulator";
export const simulatorFinishedTitle = () => "Finished – Kutip Simulator";
export const simulatorUnknownTitle = () => "No such session – Kutip Simulator";

function SimulatorShell({ children }: { children: ReactNode }) {
  return (
    <>
      <div className="band" />
      <div className="wrap">
        <header className="brand">
          <strong>Kutip Simulator</strong> <span>— test gateway</span>
        </header>
        <main>{children}</main>
        <footer>This is not a bank. It asks for no card and no real money moves here.</footer>
      </div>
    </>
  );
}

export function SimulatorView(props: SimulatorProps) {
  const { action, hidden = {}, title, purpose } = props;
  return (
    <SimulatorShell>
      <div className="panel">
        <h1>
          {purpose === "pay" ? "Choose how this payment ends" : "Choose how saving a method ends"}
        </h1>
        <dl>
          {purpose === "pay" ? (
            <div>
              <dt>Amount</dt>
              <dd className="sum">{props.amount}</dd>
            </div>
          ) : null}
          <div>
            <dt>For</dt>
            <dd dir="auto" lang="">
              {title}
            </dd>
          </div>
        </dl>
      </div>
      <ul>
        {(purpose === "pay" ? payOutcomes : saveOutcomes).map((outcome, index) => (
          <li key={outcome.value} className={index === 0 ? "first" : undefined}>
            <OutcomeForm action={action} hidden={hidden} outcome={outcome} />
          </li>
        ))}
      </ul>
    </SimulatorShell>
  );
}

/** A form each, so that Enter in the number field presses its own button and not the first of the page. */
function OutcomeForm({
  action,
  hidden,
  outcome,
}: {
  action: string;
  hidden: Readonly<Record<string, string>>;
  outcome: Outcome;
}) {
  const hintId = `hint-${outcome.value}`;
  return (
    <form method="post" action={action}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div className="press">
        <button type="submit" name="outcome" value={outcome.value} aria-describedby={hintId}>
          {outcome.label}
        </button>
        {outcome.value === "approve_declines" ? (
          <label>
            How many{" "}
            <input
              type="number"
              name="declines"
              min="1"
              max="20"
              defaultValue="1"
              required
              inputMode="numeric"
            />
          </label>
        ) : null}
      </div>
      <p className="hint" id={hintId}>
        {outcome.hint}
      </p>
    </form>
  );
}

export function SimulatorFinishedView({ result, backUrl }: SimulatorFinishedProps) {
  return (
    <SimulatorShell>
      <div className="panel">
        <h1>This session is finished</h1>
        <p className="lead">{result}</p>
        {backUrl ? (
          <a className="back" href={backUrl}>
            Back to the merchant
          </a>
        ) : null}
      </div>
    </SimulatorShell>
  );
}

export function SimulatorUnknownView() {
  return (
    <SimulatorShell>
      <div className="panel">
        <h1>No such session</h1>
        <p className="lead">
          There is no test session at this address. Go back to the page that sent you here and start
          again.
        </p>
      </div>
    </SimulatorShell>
  );
}
