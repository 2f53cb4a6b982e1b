"use client";

import { Printer } from "lucide-react";
import { QrPicture } from "@/components/record/qr-picture";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useEndpoint } from "@/lib/client/hooks";
import { useListState } from "@/lib/client/list-state";
import { useScope } from "@/lib/client/use-scope";
import { listPaymentLinks } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { linkFilters } from "./list-filters";

const PER_SHEET = 48;

/** QR codes of selected payment links to print and cut out, 48 at a time. */
export function LinkSheet() {
  const { path } = useScope();
  const list = useListState([...linkFilters, "ids"] as const);
  const query = { ...list.query, per_page: PER_SHEET };
  const answer = useEndpoint(listPaymentLinks, { query });
  const page = answer.data && "last_page" in answer.data ? answer.data : undefined;
  const open = page?.data.filter(({ status }) => status === "Active") ?? [];
  return (
    <>
      <div className="print:hidden">
        <PageHeader
          title="QR codes to print"
          description="Each leads to its payment page. Links that take no money are left out."
          back={{ href: path("/payment-links"), label: "Payment links" }}
          actions={
            <Button
              variant="primary"
              aria-disabled={open.length === 0}
              onClick={() => window.print()}
            >
              <Printer aria-hidden="true" className="size-4" />
              Print
            </Button>
          }
        />
      </div>
      {answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : page ? (
        <>
          <ul
            aria-label="QR codes"
            className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-4 print:grid-cols-3"
          >
            {open.map((link) => (
              <Code key={link._id} link={link} />
            ))}
          </ul>
          {open.length === 0 ? (
            <p className="mt-3">
              {page.last_page > 1
                ? "No link of this sheet can be paid now."
                : "None of these links can be paid now."}
            </p>
          ) : null}
          {page.last_page > 1 ? (
            <nav aria-label="Sheets" className="mt-4 flex items-center gap-3 print:hidden">
              <Button aria-disabled={list.page <= 1} onClick={() => list.setPage(list.page - 1)}>
                Previous sheet
              </Button>
              <span aria-current="page">
                Sheet {list.page} of {page.last_page}
              </span>
              <Button
                aria-disabled={list.page >= page.last_page}
                onClick={() => list.setPage(list.page + 1)}
              >
                Next sheet
              </Button>
            </nav>
          ) : null}
        </>
      ) : (
        <Loading label="Loading the QR codes">
          <Skeleton className="h-48 w-full" />
        </Loading>
      )}
    </>
  );
}

function Code({ link }: { link: PaymentLink }) {
  return (
    <li className="break-inside-avoid rounded-card border border-line bg-surface p-3 text-center">
      <QrPicture
        text={link.payment_url}
        alt={`QR code of ${link.title}`}
        className="mx-auto h-40 w-40 rounded-tag p-1"
      />
      <p dir="auto" lang="" className="mt-2 font-medium break-words">
        {link.title}
      </p>
      <p>
        <Money amount={link.amount} currency={link.currency} />
      </p>
      <p className="truncate text-fine">{link.reference ?? link.email}</p>
    </li>
  );
}
