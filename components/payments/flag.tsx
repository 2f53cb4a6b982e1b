import { Button } from "@/components/ui/button";
import type { Payment } from "@/lib/contract/payments";
import { flagText, flagTitle } from "./words";

type FlagProps = {
  flag: string;
  payment: Payment;
  wayOut: { label: string; run: () => void } | undefined;
};

/** Why a payment needs a person to look at it, with what that person can do here. */
export function Flag({ flag, payment, wayOut }: FlagProps) {
  const title = flagTitle(flag);
  return (
    <section
      aria-label={title}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 rounded-card bg-warn-soft px-5 py-4 text-warn"
    >
      <div className="min-w-0">
        <h2 className="font-semibold">{title}</h2>
        <p className="mt-0.5">{flagText(flag, payment)}</p>
      </div>
      {wayOut ? <Button onClick={wayOut.run}>{wayOut.label}</Button> : null}
    </section>
  );
}
