import { displayAmount } from "@/lib/kernel/money";
import { cx } from "./cx";

/** An amount of minor units in its currency's own digits: "MYR 12.34". The code is quieter than the number. */
export function Money({
  amount,
  currency,
  className,
}: {
  amount: number;
  currency: string;
  className?: string;
}) {
  const text = displayAmount(amount, currency);
  const blank = text.indexOf(" ");
  return (
    <span className={cx("figures whitespace-nowrap", className)}>
      <span className="text-[0.86em] font-normal text-muted">{text.slice(0, blank)}</span>{" "}
      {text.slice(blank + 1)}
    </span>
  );
}
