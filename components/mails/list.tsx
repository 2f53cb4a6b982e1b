"use client";

import { Mail as MailIcon, RotateCw } from "lucide-react";
import { statusLabel } from "@/components/ui/badge";
import { LinkButton } from "@/components/ui/link-button";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { CustomerLink } from "@/components/record/customer-link";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterChips, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { MenuItem, MenuLink, RowMenu } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useOrigin } from "@/lib/client/origin";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { FilterOf } from "@/lib/contract/lists";
import type { Mail, MailQuery } from "@/lib/contract/mails";
import { createPaymentLink, exportMails, listMails, resendMail } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import { mailStatuses } from "@/lib/contract/values";
import { every } from "@/lib/kernel/every";
import { MailBadge } from "./mail-badge";
import { NoMailServer } from "./no-mail-server";
import { MAILS_POLL_MS } from "./use-mails";
import { useUnsentReason } from "./use-mail-notice";
import { useResend } from "./use-resend";
import { kindLabel, kindOptions, whyUnsent } from "./words";

const filters = every<FilterOf<MailQuery>>()([
  "q",
  "email",
  "kind",
  "status",
  "payment_link_id",
  "subscription_id",
  "tokenization_id",
  "created_from",
  "created_to",
]);

const column = columnsOf<Mail>();
const columns = column.columns([
  column.accessor("subject", {
    header: "Subject",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span dir="auto" lang="">
        {row.original.subject}
      </span>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ row: { original } }) => (
      <>
        <MailBadge status={original.status} />
        <span className="mt-0.5 block max-w-72 text-fine text-muted empty:hidden">
          {whyUnsent(original)}
        </span>
      </>
    ),
  }),
  column.accessor("recipient", {
    header: "To",
    cell: ({ row }) => (
      <span className="block max-w-60">
        <CustomerLink email={row.original.recipient} />
      </span>
    ),
  }),
  column.accessor("kind", {
    header: "About",
    cell: ({ row }) => <span className="wrap-normal">{kindLabel(row.original.kind)}</span>,
  }),
  column.accessor("created_at", {
    header: "Written",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

/** Where the record a mail is about has its page. */
export const aboutPath = ({
  payment_link_id: link,
  subscription_id: subscription,
  tokenization_id: token,
}: Mail): string | null =>
  token
    ? `/tokens/${token}`
    : subscription
      ? `/subscriptions/${subscription}`
      : link
        ? `/payment-links/${link}`
        : null;

/** Every mail to this business's payers. */
export function MailList() {
  const baseUrl = useOrigin();
  const { path } = useScope();
  const { may } = useMembership();
  const list = useListState(filters);
  const { values, set } = list;
  const answer = useEndpoint(
    listMails,
    { query: list.query },
    { keepPrevious: true, every: MAILS_POLL_MS },
  );
  const resend = useResend();
  const unsent = useUnsentReason();
  const nothing = nothingYet(list, answer);
  return (
    <>
      <PageHeader list title="Mails" description="E-mails to your payers, as they see them." />
      <NoMailServer />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="mails" list={list} columns={columns} />
              <ExportLink of={exportMails} list={list} />
            </>
          }
        >
          <SearchField
            label="Search mails"
            placeholder="Subject, address or id"
            value={values.q}
            onChange={(q) => set({ q })}
          />
          <FilterSelect
            label="About"
            value={values.kind}
            onChange={(kind) => set({ kind })}
            options={kindOptions}
          />
          <FilterSelect
            label="Status"
            value={values.status}
            onChange={(status) => set({ status })}
            options={mailStatuses.map((value) => ({ value, label: statusLabel(value) }))}
          />
          <DateRange
            label="Written"
            from={values.created_from}
            to={values.created_to}
            onChange={({ from, to }) => set({ created_from: from, created_to: to })}
          />
          <FilterChips
            chips={[
              { names: ["email"], text: `To: ${values.email}` },
              { names: ["payment_link_id"], text: "One payment link" },
              { names: ["subscription_id"], text: "One subscription" },
              { names: ["tokenization_id"], text: "One token" },
            ]}
            values={values}
            set={set}
          />
        </FilterBar>
      )}
      <DataTable
        label="Mails"
        columns={columns}
        answer={answer}
        list={list}
        href={(mail) => path(`/mails/${mail._id}`)}
        actions={(mail) => {
          const about = aboutPath(mail);
          return (
            <RowMenu label={`Actions for ${mail.subject} to ${mail.recipient}`}>
              <MenuLink href={path(`/mails/${mail._id}`)} icon={<MailIcon aria-hidden="true" />}>
                Read
              </MenuLink>
              {about ? (
                <MenuLink href={path(about)}>
                  {mail.tokenization_id
                    ? "Show token"
                    : mail.subscription_id
                      ? "Show subscription"
                      : "Show payment link"}
                </MenuLink>
              ) : null}
              {may(resendMail) && mail.resendable ? (
                <MenuItem
                  onSelect={() => resend.run({ params: { mail_id: mail._id } })}
                  icon={<RotateCw aria-hidden="true" />}
                >
                  Resend
                </MenuItem>
              ) : null}
            </RowMenu>
          );
        }}
        empty={
          <EmptyState
            icon={<MailIcon />}
            title="No mail has been written yet"
            action={
              may(createPaymentLink) ? (
                <LinkButton href={path("/payment-links/new")} variant="primary">
                  Create payment link
                </LinkButton>
              ) : undefined
            }
            code={{
              label: "Or from a program",
              text: snippet(createPaymentLink, "curl", {
                baseUrl,
                body: firstMail,
              }),
            }}
          >
            For a payment link that you create, a mail with its address is written to the payer, and
            a receipt once it is paid. Mails to subscribers are about each period. You read them
            here, and send them again. {unsent}
          </EmptyState>
        }
      />
    </>
  );
}

const firstMail = {
  email: "ana@example.com",
  currency: "MYR",
  amount: 12550,
  title: "Invoice 1042",
  send_email: true,
};
