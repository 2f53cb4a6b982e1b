"use client";

import { Copy, Undo2 } from "lucide-react";
import { useState } from "react";
import { MailBadge } from "@/components/mails/mail-badge";
import { whileQueued } from "@/components/mails/use-mails";
import { whyUnsent } from "@/components/mails/words";
import { Card } from "@/components/ui/card";
import { Confirm } from "@/components/ui/dialog";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { MenuItem, RowMenu } from "@/components/ui/menu";
import { Badge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { useLocalList } from "@/lib/client/local-list";
import { notify } from "@/lib/client/notices";
import { useMe, useMembership } from "@/lib/client/use-me";
import { copyInvitationLink, listInvitations, revokeInvitation } from "@/lib/contract/operations";
import type { Invitation } from "@/lib/contract/team";
import { InvitationLink } from "./invitation-link";
import { roleLabel } from "./roles";

/** Why the mail of an invitation did not go; empty where it went or still may. */
function whyNotMailed({ mail_status: status, mail_error: error }: Invitation): string {
  if (status === null) return "None is on record. Copy the link from the menu.";
  const why = whyUnsent({ status, error }) ?? "";
  return status === "kept" ? `${why} Copy the link from the menu.`.trim() : why;
}

const column = columnsOf<Invitation>();
const columns = column.columns([
  column.accessor("email", {
    header: "E-mail",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span className="block max-w-72 truncate" title={row.original.email}>
        {row.original.email}
      </span>
    ),
  }),
  column.accessor("role", {
    header: "Role",
    cell: ({ row }) => <span className="whitespace-nowrap">{roleLabel(row.original.role)}</span>,
  }),
  column.accessor("invited_by", {
    header: "Invited by",
    cell: ({ row }) => row.original.invited_by ?? "–",
  }),
  column.accessor("mail_status", {
    header: "Mail",
    cell: ({ row: { original } }) => (
      <div>
        {original.mail_status ? (
          <MailBadge status={original.mail_status} />
        ) : (
          <Badge>No mail</Badge>
        )}
        <p className="mt-1 max-w-72 text-fine text-muted empty:hidden">{whyNotMailed(original)}</p>
      </div>
    ),
  }),
  column.accessor("created_at", {
    header: "Created",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("expires_at", {
    header: "Works until",
    cell: ({ row }) => (
      <Time value={row.original.expires_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

/** Invitations that are still to be accepted. */
export function Invitations() {
  const { role } = useMembership();
  const list = useLocalList();
  const mailed = useMe().data?.sends_mail !== false;
  const answer = useEndpoint(
    listInvitations,
    { query: { ...list.query, status: "pending" } },
    {
      keepPrevious: true,
      every: (page) => whileQueued(page?.data.map((invitation) => invitation.mail_status)),
    },
  );
  const revoke = useAction(revokeInvitation, {
    optimistic: ({ change }, { params }) =>
      change(listInvitations, (page) => ({
        ...page,
        data: page.data.filter(({ _id }) => _id !== params.invitation_id),
      })),
    onSuccess: ({ email }) =>
      notify({
        title: "Invitation revoked",
        description: `${email} can no longer join with it.`,
        tone: "good",
      }),
  });
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const copy = useAction(copyInvitationLink, { onSuccess: ({ url }) => setLink(url) });
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations" className="mb-3 text-lead font-semibold">
        Invitations
      </h2>
      {mailed ? null : (
        <p className="mb-3 text-muted">
          This install sends no mail. Copy the link of each invitation from its menu.
        </p>
      )}
      <DataTable
        label="Invitations"
        columns={columns}
        answer={answer}
        list={list}
        actions={(invitation) =>
          invitation.role === "owner" && role !== "owner" ? null : (
            <RowMenu label={`Actions for ${invitation.email}`}>
              <MenuItem
                onSelect={() => copy.run({ params: { invitation_id: invitation._id } })}
                icon={<Copy aria-hidden="true" />}
              >
                Copy invitation link…
              </MenuItem>
              <MenuItem
                tone="danger"
                onSelect={() => setRevoking(invitation)}
                icon={<Undo2 aria-hidden="true" />}
              >
                Revoke invitation…
              </MenuItem>
            </RowMenu>
          )
        }
        empty={
          <Card>
            <p className="text-muted">
              No open invitations. Invite your colleagues: each person signs in separately, and the
              audit log shows who did what.
            </p>
          </Card>
        }
      />
      <InvitationLink link={link} onClose={() => setLink(null)} />
      <Confirm
        title={`Revoke the invitation of ${revoking?.email ?? ""}?`}
        confirm="Revoke invitation"
        cancel="Keep it"
        open={revoking !== null}
        onOpenChange={(open) => !open && setRevoking(null)}
        onConfirm={() => {
          if (revoking) revoke.run({ params: { invitation_id: revoking._id } });
          setRevoking(null);
        }}
      >
        <p>Its link stops working at once. You can invite the same address again.</p>
      </Confirm>
    </section>
  );
}
