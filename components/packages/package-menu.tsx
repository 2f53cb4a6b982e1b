"use client";

import { Ban, Copy, Pencil, RotateCcw, Trash2, UserPlus } from "lucide-react";
import { MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  createPackage,
  createSubscription,
  deletePackage,
  updatePackage,
} from "@/lib/contract/operations";
import type { Package } from "@/lib/contract/packages";
import { useShelving } from "./use-package-actions";

/** What can be done with a package, without what this person may not. */
export function PackageMenuItems({
  subject,
  onDelete,
}: {
  subject: Package;
  onDelete: (one: Package) => void;
}) {
  const { path } = useScope();
  const { may } = useMembership();
  const { cancel, activate } = useShelving();
  const { _id, status } = subject;
  const active = status === "active";
  return (
    <>
      <MenuLink href={path(`/subscriptions?package_id=${_id}`)}>Show subscriptions</MenuLink>
      {active && may(createSubscription) ? (
        <MenuLink
          href={path(`/subscriptions/new?package=${_id}`)}
          icon={<UserPlus aria-hidden="true" />}
        >
          Subscribe someone
        </MenuLink>
      ) : null}
      {may(createPackage) ? (
        <MenuLink href={path(`/packages/new?from=${_id}`)} icon={<Copy aria-hidden="true" />}>
          Duplicate
        </MenuLink>
      ) : null}
      {may(updatePackage) ? (
        <>
          <MenuLink href={path(`/packages/${_id}/edit`)} icon={<Pencil aria-hidden="true" />}>
            Edit
          </MenuLink>
          {active ? (
            <MenuItem onSelect={() => cancel(subject)} icon={<Ban aria-hidden="true" />}>
              Cancel package
            </MenuItem>
          ) : (
            <MenuItem onSelect={() => activate(subject)} icon={<RotateCcw aria-hidden="true" />}>
              Activate
            </MenuItem>
          )}
        </>
      ) : null}
      {may(deletePackage) ? (
        <>
          <MenuLine />
          <MenuItem
            tone="danger"
            onSelect={() => onDelete(subject)}
            icon={<Trash2 aria-hidden="true" />}
          >
            Delete…
          </MenuItem>
        </>
      ) : null}
    </>
  );
}
