"use client";

import { ArrowRight, Check } from "lucide-react";
import Link from "next/link";
import { cx } from "@/components/ui/cx";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { Operation } from "@/lib/contract/endpoint";
import {
  createApiKey,
  createInvitation,
  createPaymentLink,
  listPaymentLinks,
  updateBusiness,
} from "@/lib/contract/operations";
import type { Overview } from "@/lib/contract/overview";

type Step = Overview["steps"][number]["step"];

type Words = { title: string; text: string; to: string; needs: Pick<Operation, "roles"> };

const words: Record<Step, Words> = {
  link_created: {
    title: "Create a payment link",
    text: "An amount, what it is for, and who pays.",
    to: "/payment-links/new",
    needs: createPaymentLink,
  },
  link_paid: {
    title: "See it paid",
    text: "Open the link as your payer would and pay it.",
    to: "/payment-links",
    needs: listPaymentLinks,
  },
  pages_branded: {
    title: "Make the payer’s page yours",
    text: "Your colour, and where payers reach you.",
    to: "/settings",
    needs: updateBusiness,
  },
  api_key_used: {
    title: "Connect your program",
    text: "Create an API key, then create a link with one call.",
    to: "/developers",
    needs: createApiKey,
  },
  colleague_invited: {
    title: "Invite a colleague",
    text: "They see what their role allows.",
    to: "/settings/team",
    needs: createInvitation,
  },
};

const order: readonly Step[] = [
  "link_created",
  "link_paid",
  "pages_branded",
  "api_key_used",
  "colleague_invited",
];

/** What a new business does first, but for what this person may not do. Nothing once they have done it all. */
export function FirstSteps({ steps }: { steps: Overview["steps"] }) {
  const { mode, path } = useScope();
  const { may } = useMembership();
  const own = order.filter((step) => may(words[step].needs));
  const done = new Map(steps.map((one) => [one.step, one.done]));
  const next = own.find((step) => !done.get(step));
  if (!next) return null;
  return (
    <section
      aria-label="First steps"
      className="guilloche overflow-hidden rounded-card bg-surface shadow-sheet"
    >
      <div className="px-5 pt-5 pb-3 sm:px-7 sm:pt-6">
        <h2 className="text-title font-semibold tracking-[-0.012em]">
          {done.get("link_paid") ? "First steps" : "Your first payment"}
        </h2>
        <p className="mt-0.5 max-w-prose text-muted">
          {mode === "test"
            ? "Try everything here in test mode: the simulator lets you choose how a payment ends."
            : "Live mode is for real money. Try each step in test mode first."}
        </p>
      </div>
      <ol aria-label="First steps" className="px-3 pb-3 sm:px-5 sm:pb-4">
        {own.map((step, index) => {
          const { title, text, to } = words[step];
          const finished = done.get(step) === true;
          return (
            <li key={step}>
              <Link
                prefetch={false}
                href={path(to)}
                className="flex items-center gap-3.5 rounded-control px-2.5 py-2 hover:bg-accent-soft"
              >
                <span
                  aria-hidden="true"
                  className={cx(
                    "grid size-7 shrink-0 place-items-center rounded-full border text-fine font-semibold",
                    finished
                      ? "border-transparent bg-good-soft text-good"
                      : step === next
                        ? "border-fill-edge bg-fill text-on-fill"
                        : "border-edge text-muted",
                  )}
                >
                  {finished ? <Check className="size-4" /> : index + 1}
                </span>
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">
                    {title}
                    {finished ? <span className="font-normal text-muted"> · done</span> : null}
                  </span>
                  <span className="block text-fine text-muted">{text}</span>
                </span>
                <ArrowRight aria-hidden="true" className="size-4 shrink-0 text-muted" />
              </Link>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
