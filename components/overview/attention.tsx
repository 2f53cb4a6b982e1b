"use client";

import { CircleCheck } from "lucide-react";
import Link from "next/link";
import { Badge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import { useScope } from "@/lib/client/use-scope";
import type { Attention } from "@/lib/contract/overview";
import { attentionWords } from "./attention-words";

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
  const { label, tone, text, all } = attentionWords[kind];
  return (
    <section aria-label={label}>
      <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        <span className="text-fine text-muted">{text}</span>
      </h3>
      <ul aria-label={label} className="mt-1 divide-y divide-line">
        {latest.map((one) => (
          <li
            key={`${one._id} ${one.at}`}
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
