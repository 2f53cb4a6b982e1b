"use client";

import { FileUp, Link2, Plus } from "lucide-react";
import { useMemo } from "react";
import { CustomerName, CustomerNames } from "@/components/record/customer-names";
import { CustomerLink } from "@/components/record/customer-link";
import { ListSums } from "@/components/record/list-sums";
import { BottomBar } from "@/components/ui/bottom-bar";
import { LinkButton } from "@/components/ui/link-button";
import { CopyButton } from "@/components/ui/copy-button";
import { CreateLink } from "@/components/ui/create-link";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { EmptyState } from "@/components/ui/empty-state";
import { MenuLink, RowMenu } from "@/components/ui/menu";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { useSelection } from "@/components/ui/row-selection";
import { Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint } from "@/lib/client/hooks";
import { later } from "@/lib/client/later";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useOrigin } from "@/lib/client/origin";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  createPaymentLink,
  exportPaymentLinks,
  getPaymentLinkTotals,
  listPaymentLinks,
} from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { snippet } from "@/lib/contract/snippets";
import { DeleteDialog } from "./delete-dialog";
import { LinkFilters } from "./filters";
import { LinkStatus } from "./link-status";
import { LinkMenuItems } from "./link-menu";
import { linkFilters } from "./list-filters";
import { payable } from "./rules";

const BatchStrip = later(() =>
  import("@/components/batches/strip").then((module) => module.BatchStrip),
);
const BulkBar = later(() => import("./bulk-bar").then((module) => module.BulkBar));
const RecordPayment = later(() =>
  import("./record-payment").then((module) => module.RecordPayment),
);

const column = columnsOf<PaymentLink>();
const columns = column.columns([
  column.accessor("title", {
    header: "Title",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span dir="auto" lang="">
        {row.original.title}
      </span>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ row }) => <LinkStatus link={row.original} />,
  }),
  column.accessor("email", {
    header: "Payer",
    enableSorting: true,
    cell: ({ row }) => (
      <span className="block max-w-60 xl:max-2xl:max-w-[min(15rem,calc(10rem+(100vw-80rem)/2))]">
        <CustomerLink email={row.original.email} />
        <CustomerName email={row.original.email} />
      </span>
    ),
  }),
  column.accessor("reference", {
    header: "Reference",
    cell: ({ row }) => (
      <span className="block max-w-40 truncate text-muted xl:max-2xl:max-w-28">
        {row.original.reference ?? "–"}
      </span>
    ),
  }),
  column.accessor("reference_2", {
    header: "Second reference",
    meta: { optional: true },
    cell: ({ row }) => (
      <span className="block max-w-40 truncate text-muted">{row.original.reference_2 ?? "–"}</span>
    ),
  }),
  column.accessor("description", {
    header: "Description",
    meta: { optional: true },
    cell: ({ row }) => (
      <span
        className="block max-w-60 truncate"
        dir="auto"
        lang=""
        title={row.original.description ?? undefined}
      >
        {row.original.description ?? "–"}
      </span>
    ),
  }),
  column.accessor("phone_no", {
    header: "Phone number",
    meta: { optional: true },
    cell: ({ row }) => <span className="whitespace-nowrap">{row.original.phone_no ?? "–"}</span>,
  }),
  column.accessor("due_at", {
    header: "Due",
    meta: { optional: true },
    cell: ({ row }) => (
      <Time value={row.original.due_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("expires_at", {
    header: "Expires",
    meta: { optional: true },
    cell: ({ row }) => (
      <Time value={row.original.expires_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("paid_at", {
    header: "Paid",
    meta: { optional: true },
    cell: ({ row }) => (
      <Time value={row.original.paid_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("created_at", {
    header: "Created",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("amount", {
    header: "Amount",
    enableSorting: true,
    meta: { align: "end", card: "aside" },
    cell: ({ row }) => (
      <Money
        amount={row.original.amount}
        currency={row.original.currency}
        className="font-medium"
      />
    ),
  }),
]);

/** Every payment link of this business and mode. */
export function LinkList() {
  const { path } = useScope();
  const { may } = useMembership();
  const list = useListState(linkFilters);
  const answer = useEndpoint(listPaymentLinks, { query: list.query }, { keepPrevious: true });
  const [deleting, setDeleting] = useChosenRow(answer.data?.data);
  const [recording, setRecording] = useChosenRow(answer.data?.data);
  const mayCreate = may(createPaymentLink);
  const rows = useMemo(() => answer.data?.data.map(({ _id }) => _id) ?? [], [answer.data]);
  const selection = useSelection(rows, JSON.stringify(list.query));
  const total = answer.data && "total" in answer.data ? answer.data.total : rows.length;
  const create = (
    <CreateLink
      href={path("/payment-links/new")}
      aria-keyshortcuts="c"
      icon={<Plus aria-hidden="true" className="size-4" />}
    >
      Create payment link
    </CreateLink>
  );
  const nothing = nothingYet(list, answer);

  return (
    <>
      <PageHeader
        list
        title="Payment links"
        description="The amounts you have asked for, and what happened to each."
        actions={
          mayCreate && !nothing ? (
            <>
              <span className="sm:hidden">
                <RowMenu label="More">
                  <MenuLink href={path("/payment-links/batches")}>Imports and changes</MenuLink>
                  <MenuLink href={path("/payment-links/import")}>Import</MenuLink>
                </RowMenu>
              </span>
              <LinkButton
                href={path("/payment-links/batches")}
                variant="ghost"
                prefetch={false}
                className="max-sm:hidden"
              >
                Imports and changes
              </LinkButton>
              <LinkButton href={path("/payment-links/import")} className="max-sm:hidden">
                <FileUp aria-hidden="true" className="size-4" />
                Import
              </LinkButton>
              {create}
            </>
          ) : null
        }
      />
      {nothing ? null : (
        <LinkFilters
          list={list}
          end={
            <>
              <Views of="payment_links" list={list} columns={columns} />
              <ExportLink of={exportPaymentLinks} list={list} />
            </>
          }
        />
      )}
      <CustomerNames of="payment_link_ids" rows={answer.data?.data ?? []}>
        <DataTable
          label="Payment links"
          columns={columns}
          answer={answer}
          sums={<ListSums of={getPaymentLinkTotals} list={list} page={answer.data} />}
          list={list}
          noResults="Search in the menu also finds names of customers, phone numbers and amounts."
          href={(link) => path(`/payment-links/${link._id}`)}
          actions={(link) => (
            <span className="inline-flex">
              {payable(link) ? (
                <CopyButton
                  icon
                  text={link.payment_url}
                  label={`Copy payment link: ${link.title}`}
                />
              ) : null}
              <RowMenu label={`Actions for ${link.title}`}>
                <LinkMenuItems link={link} onDelete={setDeleting} onRecord={setRecording} />
              </RowMenu>
            </span>
          )}
          empty={<NoLinksYet action={mayCreate ? create : undefined} />}
          select={{ selection, name: (link) => link.title }}
        />
      </CustomerNames>
      <BottomBar>
        <BatchStrip />
        {selection.ids.length > 0 ? (
          <BulkBar
            selection={selection}
            links={answer.data?.data ?? []}
            total={total}
            filters={list.filters}
            sort={list.query.sort}
          />
        ) : null}
      </BottomBar>
      <DeleteDialog link={deleting} onClose={() => setDeleting(null)} />
      {recording ? (
        <RecordPayment link={recording} open onClose={() => setRecording(null)} />
      ) : null}
    </>
  );
}

const firstLink = {
  email: "ana@example.com",
  currency: "MYR",
  amount: 12550,
  title: "Invoice 1042",
  reference: "INV-1042",
};

function NoLinksYet({ action }: { action: React.ReactNode }) {
  const baseUrl = useOrigin();
  return (
    <EmptyState
      icon={<Link2 />}
      title="Ask for your first payment"
      action={action}
      code={{
        label: "Or from a program",
        text: snippet(createPaymentLink, "curl", {
          baseUrl,
          body: firstLink,
        }),
      }}
    >
      A payment link is a page with one amount on it. Send its address by mail or message; the payer
      opens it on any phone and pays, and you see it turn paid here.
    </EmptyState>
  );
}
