"use client";

import { CalendarDays } from "lucide-react";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { LinkButton } from "@/components/ui/link-button";
import { PageHeader } from "@/components/ui/page-header";
import { Tabs } from "@/components/ui/tabs";
import { useScope } from "@/lib/client/use-scope";
import { Journal } from "./journal";
import { PaymentLines } from "./payment-lines";

/** The money of the business: a line for each payment, or the entries of the ledger. The view is in the address. */
export function BalancePage() {
  const { path } = useScope();
  // Each view has pages and orders of its own.
  const [{ view }, setView] = useQueryStates(
    { view: parseAsString, page: parseAsInteger, sort: parseAsString },
    { history: "push" },
  );
  return (
    <>
      <PageHeader
        title="Balance"
        description="What payers paid, what was refunded, and what the payment provider kept."
        actions={
          <LinkButton href={path("/balance/statement")}>
            <CalendarDays aria-hidden="true" className="size-4" />
            Monthly statement
          </LinkButton>
        }
      />
      <Tabs
        label="View"
        value={view ?? "payments"}
        onChange={(next) =>
          void setView({ view: next === "payments" ? null : next, page: null, sort: null })
        }
        items={[
          { value: "payments", label: "Payments", content: <PaymentLines /> },
          { value: "journal", label: "Journal", content: <Journal /> },
        ]}
      />
    </>
  );
}
