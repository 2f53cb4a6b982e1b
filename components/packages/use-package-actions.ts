"use client";

import { useMemo } from "react";
import { type Draft, useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { getPackage, listPackages, updatePackage } from "@/lib/contract/operations";
import type { Package, PackageUpdate } from "@/lib/contract/packages";

type Status = Package["status"];

const withStatus =
  (id: string, status: Status) =>
  ({ change }: Draft) => {
    const put = <One extends Package>(one: One) => (one._id === id ? { ...one, status } : one);
    change(listPackages, (page) => ({ ...page, data: page.data.map(put) }));
    change(getPackage, put);
  };

/** A whole package for a PUT, which replaces it. The PUT is refused when the package has changed since it was read. */
export const bodyOf = ({
  name,
  amount,
  currency,
  frequency,
  date_charge_start,
  description,
  version,
}: Package) =>
  ({
    name,
    amount,
    currency,
    frequency,
    date_charge_start,
    description: description ?? undefined,
    version,
  }) satisfies Record<Exclude<keyof PackageUpdate, "status">, unknown>;

/** Takes a package off the shelf and puts it back: shown at once, put back when the API refuses, undone by the notice or Ctrl/Cmd+Z. */
export function useShelving(): {
  cancel: (one: Package) => void;
  activate: (one: Package) => void;
} {
  const { run } = useAction(updatePackage, {
    optimistic: (draft, { params, body }) => {
      if (body.status) withStatus(params.package_id, body.status)(draft);
    },
    onSuccess: (changed) => {
      const { name, status, _id } = changed;
      const undo = () =>
        run({ params: { package_id: _id }, body: { ...bodyOf(changed), status: "active" } });
      if (status === "active") notify({ title: `“${name}” takes subscribers again`, tone: "good" });
      else
        notify({
          title: `“${name}” cancelled`,
          description: "No new subscribers. Current ones continue.",
          undo,
        });
    },
  });
  return useMemo(() => {
    const put = (status: Status) => (one: Package) =>
      run({ params: { package_id: one._id }, body: { ...bodyOf(one), status } });
    return { cancel: put("cancel"), activate: put("active") };
  }, [run]);
}
