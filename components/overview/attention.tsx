"use client";

import { CircleCheck } from "lucide-react";
import Link from "next/link";
import { attentionLabels } from "@/components/payments/words";
import { Badge, type Tone } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import { useScope } from "@/lib/client/use-scope";
import type { Attention } from "@/lib/contract/overview";

type Words = {
  label: string;
  tone: Tone;
  text: string;
  /** The list of exactly these; null without such a list. */
  all: string | null;
};

const words: Record<Attention["kind"], Words> = {
  payment_failed: {
    label: attentionLabels.payment_failed,
    tone: "bad",
    text: "Declined, and not paid since. Open it to see why, and to charge or ask again.",
    all: "/payments?attention=payment_failed",
  },
  payment_unknown: {
    label: attentionLabels.payment_unknown,
    tone: "warn",
    text: "The provider has not answered yet. Kutip keeps asking.",
    all: "/payments?attention=payment_unknown",
  },
  payment_mismatch: {
    label: attentionLabels.payment_mismatch,
    tone: "bad",
    text: "The provider reports another amount than you asked for.",
    all: "/payments?attention=payment_mismatch",
  },
  payment_duplicate: {
    label: attentionLabels.payment_duplicate,
    tone: "bad",
    text: "The link was already paid. Refund it.",
    all: "/payments?attention=payment_duplicate",
  },
  payment_late: {
    label: attentionLabels.payment_late,
    tone: "warn",
    text: "This payment arrived after the link expired. Fulfil the order or refund it.",
    all: "/payments?attention=payment_late",
  },
  refund_failed: {
    label: "Refund failed",
    tone: "bad",
    text: "Nothing was refunded. Try again, or return the money another way.",
    all: null,
  },
  mail_failed: {
    label: "Mail refused",
    tone: "bad",
    text: "It did not reach the payer: check the address.",
    all: null,
  },
  subscription_past_due: {
    label: "Past due",
    tone: "warn",
    text: "A period is not paid.",
    all: "/subscriptions?status=past_due",
  },
  subscription_halted: {
    label: "Halted",
    tone: "bad",
    text: "No further charge is tried.",
    all: "/subscriptions?status=halted",
  },
  webhook_failed: {
    label: "Webhooks fail",
    tone: "bad",
    text: "The last event failed after all its retries. Send it again once the endpoint works.",
    all: null,
  },
  webhook_gone: {
    label: "Webhooks stopped",
    tone: "bad",
    text: "The endpoint answered 410 Gone and was disabled: enable it, or delete it.",
    all: null,
  },
};

const places = {
  payment: "payments",
  mail: "mails",
  subscription: "subscriptions",
  webhook_endpoint: "developers/webhooks",
} as const;

/** What a person should look at, each a link to the thing. */
export function AttentionCard({ attention }: { attention: readonly Attention[] }) {
  return (
    <Card
      title="Needs attention"
      description={attention.length > 0 ? "What Kutip can’t settle without you." : undefined}
    >
      {attention.length === 0 ? (
        <p className="flex items-center gap-2 text-muted">
          <CircleCheck aria-hidden="true" className="size-4 text-good" />
          Nothing needs you now.
        </p>
      ) : (
        <div className="grid gap-5">
          {attention.map((one) => (
            <Group key={one.kind} attention={one} />
          ))}
        </div>
      )}
    </Card>
  );
}

function Group({ attention: { kind, count, latest } }: { attention: Attention }) {
  const { path } = useScope();
  const { label, tone, text, all } = words[kind];
  return (
    <section aria-label={label}>
      <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        <span className="text-fine text-muted">{text}</span>
      </h3>
      <ul aria-label={label} className="mt-1 divide-y divide-line">
        {latest.map((one) => (
          <li
            key={one._id}
            className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5"
          >
            <span className="min-w-0">
              <Link
                prefetch={false}
                href={path(`/${places[one.object]}/${one._id}`)}
                className="inline-block min-h-6 font-medium underline-offset-3 hover:underline"
                dir="auto"
                lang=""
              >
                {one.title}
              </Link>
              {one.detail ? <span className="block text-fine text-muted">{one.detail}</span> : null}
            </span>
            <span className="flex items-baseline gap-3">
              {one.amount !== null && one.currency !== null ? (
                <Money amount={one.amount} currency={one.currency} />
              ) : null}
              <Time
                show="relative"
                value={one.at}
                className="text-fine whitespace-nowrap text-muted"
              />
            </span>
          </li>
        ))}
      </ul>
      {count <= latest.length ? null : all ? (
        <Link
          prefetch={false}
          href={path(all)}
          className="inline-block min-h-6 text-fine text-accent underline underline-offset-3"
        >
          Show all {count.toLocaleString("en-GB")}
        </Link>
      ) : (
        <p className="text-fine text-muted">
          The latest {latest.length} of {count.toLocaleString("en-GB")}.
        </p>
      )}
    </section>
  );
}
