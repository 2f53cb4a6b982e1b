"use client";

import { ShieldCheck, ShieldOff, UserCog, UserMinus } from "lucide-react";
import { useChosenRow } from "@/lib/client/chosen-row";
import { later } from "@/lib/client/later";
import { Badge } from "@/components/ui/badge";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { MenuItem, RowMenu } from "@/components/ui/menu";
import { Day } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useListState } from "@/lib/client/list-state";
import { useMe, useMembership } from "@/lib/client/use-me";
import { listMembers } from "@/lib/contract/operations";
import type { Member } from "@/lib/contract/team";
import { roleLabel } from "./roles";

const RoleDialog = later(() => import("./role-dialog").then((module) => module.RoleDialog));

const RemoveMember = later(() => import("./remove-member").then((module) => module.RemoveMember));

const ResetSecondFactor = later(() =>
  import("./reset-second-factor").then((module) => module.ResetSecondFactor),
);

const column = columnsOf<Member>();
const columns = column.columns([
  column.accessor("name", {
    header: "Name",
    meta: { card: "title" },
    cell: ({ row }) => <Name member={row.original} />,
  }),
  column.accessor("email", {
    header: "E-mail",
    cell: ({ row: { original } }) => (
      <span className="inline-flex max-w-full min-w-0 flex-wrap items-center justify-end gap-x-2">
        <span className="max-w-[min(16rem,100%)] truncate xl:max-w-52" title={original.email}>
          {original.email}
        </span>
        {original.email_verified ? null : (
          <span className="text-fine text-muted">not confirmed</span>
        )}
      </span>
    ),
  }),
  column.accessor("role", {
    header: "Role",
    meta: { card: "aside" },
    cell: ({ row }) => (
      <Badge tone={row.original.role === "owner" ? "accent" : "plain"}>
        {roleLabel(row.original.role)}
      </Badge>
    ),
  }),
  column.accessor("two_factor_enabled", {
    header: "Second factor",
    cell: ({ row }) => <SecondFactor on={row.original.two_factor_enabled} />,
  }),
  column.accessor("created_at", {
    header: "Since",
    enableSorting: true,
    cell: ({ row }) => (
      <Day value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

function Name({ member }: { member: Member }) {
  const { data: me } = useMe();
  return (
    <span className="flex max-w-72 items-baseline gap-1 xl:max-w-44">
      <span className="truncate" title={member.name}>
        {member.name}
      </span>
      {me?.user._id === member._id ? (
        <span className="shrink-0 font-normal text-muted">(you)</span>
      ) : null}
    </span>
  );
}

function SecondFactor({ on }: { on: boolean }) {
  if (!on) return <span className="text-muted">Off</span>;
  return (
    <span className="inline-flex items-center gap-1.5 text-good">
      <ShieldCheck aria-hidden="true" className="size-4" />
      On
    </span>
  );
}

/** The people of this business; the last owner can neither go nor become less. */
export function Members() {
  const { role } = useMembership();
  const { data: me } = useMe();
  const list = useListState([]);
  const answer = useEndpoint(listMembers, { query: list.query }, { keepPrevious: true });
  const [changing, setChanging] = useChosenRow(answer.data?.data);
  const [removing, setRemoving] = useChosenRow(answer.data?.data);
  const [resetting, setResetting] = useChosenRow(answer.data?.data);
  return (
    <section aria-labelledby="members">
      <h2 id="members" className="mb-3 text-lead font-semibold">
        Members
      </h2>
      <DataTable
        label="Members"
        columns={columns}
        answer={answer}
        list={list}
        actions={(member) =>
          member.role === "owner" && role !== "owner" ? null : (
            <RowMenu label={`Actions for ${member.name}`}>
              <MenuItem onSelect={() => setChanging(member)} icon={<UserCog aria-hidden="true" />}>
                Change role…
              </MenuItem>
              {role === "owner" && member.two_factor_enabled && member._id !== me?.user._id ? (
                <MenuItem
                  onSelect={() => setResetting(member)}
                  icon={<ShieldOff aria-hidden="true" />}
                >
                  Reset second factor…
                </MenuItem>
              ) : null}
              <MenuItem
                tone="danger"
                onSelect={() => setRemoving(member)}
                icon={<UserMinus aria-hidden="true" />}
              >
                {member._id === me?.user._id ? "Leave…" : "Remove…"}
              </MenuItem>
            </RowMenu>
          )
        }
        empty={null}
      />
      <p className="mt-3 text-fine text-muted">
        The last owner can neither be removed nor get another role.
      </p>
      <RoleDialog member={changing} onClose={() => setChanging(null)} />
      {resetting ? (
        <ResetSecondFactor member={resetting} onClose={() => setResetting(null)} />
      ) : null}
      {removing ? (
        <RemoveMember
          member={removing}
          own={removing._id === me?.user._id}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </section>
  );
}
