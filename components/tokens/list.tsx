"use client";

import { Ban, CreditCard, ExternalLink, Plus, Ticket } from "lucide-react";
import { CustomerLink } from "@/components/record/customer-link";
import { StatusBadge, statusLabel } from "@/components/ui/badge";
import { CopyButton } from "@/components/ui/copy-button";
import { CreateLink } from "@/components/ui/create-link";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterChips, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { MenuItem, MenuLine, MenuLink, RowMenu } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  exportTokenizations,
  chargeToken,
  createToken,
  listTokenizations,
  revokeTokenization,
} from "@/lib/contract/operations";
import type { FilterOf } from "@/lib/contract/lists";
import { snippet } from "@/lib/contract/snippets";
import type { SeenTokenization, TokenizationQuery } from "@/lib/contract/tokenizations";
import { tokenizationStatuses } from "@/lib/contract/values";
import { every } from "@/lib/kernel/every";
import { RevokeDialog } from "./revoke-dialog";
import { methodOf, revocable } from "./words";

const filters = every<FilterOf<TokenizationQuery>>()([
  "q",
  "email",
  "status",
  "created_from",
  "created_to",
]);

const column = columnsOf<SeenTokenization>();
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
    cell: ({ row }) => <StatusBadge status={row.original.status} />,
  }),
  column.accessor("email", {
    header: "Payer",
    cell: ({ row }) => (
      <span className="block max-w-60">
        <CustomerLink email={row.original.email} />
      </span>
    ),
  }),
  column.accessor("payment_method", {
    header: "Method",
    cell: ({ row }) => methodOf(row.original) ?? <span className="text-muted">–</span>,
  }),
  column.accessor("created_at", {
    header: "Issued",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

/** Every token of this business and mode: the payment methods that may be charged. */
export function TokenList() {
  const { path } = useScope();
  const { may } = useMembership();
  const list = useListState(filters);
  const { values, set } = list;
  const answer = useEndpoint(listTokenizations, { query: list.query }, { keepPrevious: true });
  const [revoking, setRevoking] = useChosenRow(answer.data?.data);
  const nothing = nothingYet(list, answer);
  const issue = may(createToken) ? (
    <CreateLink href={path("/tokens/new")} icon={<Plus aria-hidden="true" className="size-4" />}>
      Issue token
    </CreateLink>
  ) : null;
  return (
    <>
      <PageHeader
        list
        title="Tokens"
        description="Payment methods that payers have saved, to be charged by you."
        actions={nothing ? null : issue}
      />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="tokenizations" list={list} columns={columns} />
              <ExportLink of={exportTokenizations} list={list} />
            </>
          }
        >
          <SearchField
            label="Search tokens"
            placeholder="Title, e-mail or id"
            value={values.q}
            onChange={(q) => set({ q })}
          />
          <FilterSelect
            label="Status"
            value={values.status}
            onChange={(status) => set({ status })}
            options={tokenizationStatuses.map((value) => ({ value, label: statusLabel(value) }))}
          />
          <DateRange
            label="Issued"
            from={values.created_from}
            to={values.created_to}
            onChange={({ from, to }) => set({ created_from: from, created_to: to })}
          />
          <FilterChips
            chips={[{ names: ["email"], text: `E-mail: ${values.email}` }]}
            values={values}
            set={set}
          />
        </FilterBar>
      )}
      <DataTable
        label="Tokens"
        columns={columns}
        answer={answer}
        list={list}
        href={(token) => path(`/tokens/${token._id}`)}
        actions={(token) => {
          const mayCharge = token.status === "active" && may(chargeToken);
          const mayRevoke = revocable(token) && may(revokeTokenization);
          if (!token.activation_url && !mayCharge && !mayRevoke) return null;
          return (
            <span className="inline-flex">
              {token.status === "pending" && token.activation_url ? (
                <CopyButton
                  icon
                  text={token.activation_url}
                  label={`Copy activation link: ${token.title}`}
                />
              ) : null}
              <RowMenu label={`Actions for ${token.title}`}>
                {mayCharge ? (
                  <MenuLink
                    href={path(`/tokens/${token._id}/charge`)}
                    icon={<CreditCard aria-hidden="true" />}
                  >
                    Charge
                  </MenuLink>
                ) : null}
                {token.activation_url ? (
                  <MenuLink
                    href={token.activation_url}
                    external
                    icon={<ExternalLink aria-hidden="true" />}
                  >
                    Open activation page
                  </MenuLink>
                ) : null}
                {mayRevoke ? (
                  <>
                    <MenuLine />
                    <MenuItem
                      tone="danger"
                      onSelect={() => setRevoking(token)}
                      icon={<Ban aria-hidden="true" />}
                    >
                      Revoke…
                    </MenuItem>
                  </>
                ) : null}
              </RowMenu>
            </span>
          );
        }}
        empty={<NoTokensYet action={issue} />}
      />
      <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

const firstToken = {
  email: "ana@example.com",
  title: "Gold membership",
  description: "Your card for the monthly fee",
};

function NoTokensYet({ action }: { action: React.ReactNode }) {
  return (
    <EmptyState
      icon={<Ticket />}
      title="Let a payer save a card"
      action={action}
      code={{
        label: "Or from a program",
        text: snippet(createToken, "curl", { baseUrl: window.location.origin, body: firstToken }),
      }}
    >
      A token is a payment method that its owner agreed to save. Send the activation link; once the
      payer has saved a method there, you can charge it without asking for the card again.
    </EmptyState>
  );
}
