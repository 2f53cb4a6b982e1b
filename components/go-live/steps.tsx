"use client";

import { Check } from "lucide-react";
import { Button } from "@/components/ui/button";
import { cx } from "@/components/ui/cx";
import { LinkButton } from "@/components/ui/link-button";
import { Time } from "@/components/ui/time";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { consolePath } from "@/lib/client/scope";
import { useMe, useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { Operation } from "@/lib/contract/endpoint";
import {
  connectGateway,
  createApiKey,
  createPaymentLink,
  sendTestMail,
  updateBusiness,
} from "@/lib/contract/operations";
import type { GoLive } from "@/lib/contract/overview";

type Step = GoLive["steps"][number];
type Words = {
  title: string;
  text: string;
  does: string;
  /** Where it is done; null where the button does it at once. */
  to: string | null;
  /** Whether that is a page of live mode, and not one that both modes share. */
  isLive?: true;
  needs: Pick<Operation, "roles">;
};

const words: Record<Step["step"], Words> = {
  gateway: {
    title: "Connect your payment provider",
    text: "Real money goes through your own account there. The key is checked with the provider.",
    does: "Connect provider",
    to: "/settings/gateway",
    isLive: true,
    needs: connectGateway,
  },
  mail: {
    title: "Send yourself a test mail",
    text: "Payers get links and receipts by e-mail.",
    does: "Send a test mail",
    to: null,
    needs: sendTestMail,
  },
  brand: {
    title: "Set your colour, logo or contact",
    text: "What payers see on pages, mails and receipts.",
    does: "Open settings",
    to: "/settings",
    needs: updateBusiness,
  },
  time_zone: {
    title: "Check the time zone",
    text: "Days of subscriptions, lists and receipts are counted in it. Save the settings once.",
    does: "Open settings",
    to: "/settings",
    needs: updateBusiness,
  },
  live_key: {
    title: "Create a live API key",
    text: "For a program of your own. Staff need none.",
    does: "Create live key",
    to: "/developers",
    isLive: true,
    needs: createApiKey,
  },
  live_payment: {
    title: "Take the first real payment",
    text: "Pay a small link yourself and refund it.",
    does: "Create live link",
    to: "/payment-links/new",
    isLive: true,
    needs: createPaymentLink,
  },
};

/** What is ready for real money, each with what brings it about. */
export function GoLiveSteps({ steps }: { steps: GoLive["steps"] }) {
  return (
    <ol aria-label="Go live" className="divide-y divide-line">
      {steps.map((step) => (
        <Row key={step.step} step={step} />
      ))}
    </ol>
  );
}

function Row({ step: { step, done, optional, note, at } }: { step: Step }) {
  const { business, mode } = useScope();
  const { may } = useMembership();
  const { data: me } = useMe();
  const { title, text, does, to, isLive, needs } = words[step];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <span
        aria-hidden="true"
        className={cx(
          "grid size-7 shrink-0 place-items-center rounded-full border",
          done ? "border-transparent bg-good-soft text-good" : "border-edge",
        )}
      >
        {done ? <Check className="size-4" /> : null}
      </span>
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">
          {title}
          <span className="font-normal text-muted">
            {done ? " · done" : optional ? " · if you need it" : " · to do"}
          </span>
        </p>
        <p className="text-fine text-muted">
          {note ?? text}
          {at ? (
            <>
              {" "}
              <Time value={at} />
            </>
          ) : null}
        </p>
      </div>
      {done || !may(needs) ? null : to === null ? (
        me?.sends_mail === false ? null : (
          <TestMail label={does} />
        )
      ) : (
        <LinkButton size="small" href={consolePath({ business, mode: isLive ? "live" : mode }, to)}>
          {does}
        </LinkButton>
      )}
    </li>
  );
}

function TestMail({ label }: { label: string }) {
  const { run, busy } = useAction(sendTestMail, {
    onSuccess: ({ recipient }) =>
      notify({
        title: `Test mail to ${recipient}`,
        description: "The list says when it was accepted.",
      }),
  });
  return (
    <Button size="small" busy={busy} onClick={() => run({})}>
      {label}
    </Button>
  );
}
