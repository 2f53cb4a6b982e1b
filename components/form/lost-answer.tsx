"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { cx } from "@/components/ui/cx";
import { Time } from "@/components/ui/time";
import type { Data, Known } from "@/lib/client/call";
import { isoOf } from "@/lib/kernel/clock";
import type { Sent } from "@/lib/client/sent";
import type { MoneyCall } from "@/lib/client/use-money-call";

type LostAnswerProps<O extends Known> = {
  call: MoneyCall<O>;
  /** What is shown of a request that ran; null where its answer is gone. */
  ran: (data: Data<O> | null, sent: Sent) => ReactNode;
};

/** Shows the outcome of a request after its response was lost, or that the outcome is not known yet. */
export function LostAnswer<O extends Known>({ call, ran }: LostAnswerProps<O>) {
  const { lost } = call;
  if (!lost) return null;
  const { kind, sent } = lost;
  return (
    <section
      role="status"
      aria-label="A request without a response"
      className={cx(
        "flex flex-wrap items-center justify-between gap-x-4 gap-y-3 rounded-card px-5 py-4",
        kind === "ran" ? "bg-accent-soft text-ink" : "bg-warn-soft text-warn",
      )}
    >
      <div className="min-w-0">
        <h2 className="font-semibold">{headings[kind]}</h2>
        <p className="mt-0.5 text-pretty">
          {sent.says}, sent <Time value={isoOf(new Date(sent.at))} />:{" "}
          {kind === "ran"
            ? ran(lost.data, sent)
            : kind === "asking"
              ? asking(lost.trouble)
              : texts[kind]}
        </p>
      </div>
      {kind === "asking" ? (
        lost.trouble ? (
          <Button key="ask" onClick={call.askNow}>
            Ask now
          </Button>
        ) : null
      ) : (
        // Its own element: a click that was meant for "Ask now" must not put the outcome away.
        <Button key="dismiss" onClick={call.dismiss}>
          {kind === "forgotten" ? "I have checked" : "Dismiss"}
        </Button>
      )}
    </section>
  );
}

const headings = {
  asking: "Finding out what happened",
  ran: "Here’s what happened",
  never_ran: "It did not go through",
  forgotten: "It is too late to find out",
};

const asking = (trouble: string | null) =>
  trouble
    ? `the answer was lost, and the outcome is unknown. ${trouble} This page keeps asking, and nothing is sent twice.`
    : "the answer was lost. Nothing is sent again until the outcome is known.";

const texts = {
  never_ran: "it did not reach Kutip and never will. Nothing has changed.",
  forgotten:
    "the outcome is unknown, and Kutip keeps what is needed to find out for 72 hours only. Compare with the lists before you repeat it.",
};
