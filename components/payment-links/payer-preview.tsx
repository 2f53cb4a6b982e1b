"use client";

import { logoPlace } from "@/components/console/business-mark";
import { Monitor, Smartphone } from "lucide-react";
import { useTheme } from "next-themes";
import { useState } from "react";
import { PayView } from "@/components/payer/pay-view";
import { cx } from "@/components/ui/cx";
import type { Business } from "@/lib/contract/business";
import { currencyDigits } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";
import { readableDayIn } from "@/lib/kernel/readable-time";
import { PayerPaper } from "./payer-paper";

const devices = [
  { id: "mobile", label: "Mobile", width: 400, icon: Smartphone },
  { id: "desktop", label: "Desktop", width: 960, icon: Monitor },
] as const;

type PreviewValues = {
  title?: unknown;
  amount?: unknown;
  currency?: unknown;
  description?: unknown;
  reference?: unknown;
  reference_2?: unknown;
  due_at?: unknown;
};

const logoOf = ({ logo }: Business) =>
  logo && { src: logoPlace(logo.url), width: logo.width, height: logo.height };

const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

const dueDay = (moment: unknown, timeZone: string) =>
  Number.isNaN(Date.parse(text(moment))) ? null : readableDayIn(text(moment), timeZone);

/** The payer's page as it would look with these values, on a phone or a desktop. */
export function PayerPreview({
  business,
  test,
  values,
}: {
  business: Business;
  test: boolean;
  values: PreviewValues;
}) {
  const [device, setDevice] = useState<(typeof devices)[number]>(devices[0]);
  const { resolvedTheme } = useTheme();
  const currency =
    currencyDigits(text(values.currency)) === undefined
      ? business.default_currency
      : text(values.currency);
  const amount = displayAmount(typeof values.amount === "number" ? values.amount : 0, currency);
  const title = text(values.title) || "The title of your link";
  return (
    <section
      aria-label="Preview of the payer’s page"
      className="overflow-hidden rounded-card bg-surface shadow-sheet"
    >
      <header className="flex items-center justify-between gap-4 px-5 pt-3.5 pb-3">
        <h2 className="text-body font-semibold tracking-[-0.01em]">Preview</h2>
        <fieldset className="flex rounded-control bg-sunken p-0.5 ring-1 ring-line ring-inset">
          <legend className="sr-only">Screen of the preview</legend>
          {devices.map((one) => (
            <button
              key={one.id}
              type="button"
              aria-pressed={one === device}
              onClick={() => setDevice(one)}
              className={cx(
                "inline-flex min-h-7 items-center gap-1.5 rounded-tag px-2.5 text-fine",
                one === device
                  ? "bg-surface font-medium shadow-sheet"
                  : "text-muted hover:text-ink",
              )}
            >
              <one.icon aria-hidden="true" className="size-3.5" />
              {one.label}
            </button>
          ))}
        </fieldset>
      </header>
      <p className="sr-only">
        {business.name} asks for {amount}: {title}
      </p>
      <div className="border-t border-line bg-page">
        <PayerPaper accent={business.accent} dark={resolvedTheme === "dark"} width={device.width}>
          <PayView
            business={{
              name: business.name,
              accent: business.accent,
              logo: logoOf(business),
              supportEmail: business.support_email,
              supportPhone: business.support_phone,
            }}
            test={test}
            id=""
            version=""
            title={title}
            amount={amount}
            description={text(values.description)}
            references={[text(values.reference), text(values.reference_2)]}
            due={dueDay(values.due_at, business.time_zone)}
            address=""
          />
        </PayerPaper>
      </div>
    </section>
  );
}
