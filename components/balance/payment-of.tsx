"use client";

import { CustomerLink } from "@/components/record/customer-link";
import { Lead } from "@/components/ui/table-lead";
import { useScope } from "@/lib/client/use-scope";

type PaymentOfProps = { id: string; title: string; email: string | null };

/** The payment of a line, which its row leads to, and the payer's address, which leads to the customer. */
export function PaymentOf({ id, title, email }: PaymentOfProps) {
  const { path } = useScope();
  return (
    <span className="block max-w-56">
      <Lead href={path(`/payments/${id}`)}>
        <span dir="auto" lang="" className="line-clamp-2 wrap-break-word" title={title}>
          {title}
        </span>
      </Lead>
      <span className="block text-fine font-normal text-muted">
        <CustomerLink email={email} />
      </span>
    </span>
  );
}
