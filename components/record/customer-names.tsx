"use client";

import { createContext, type ReactNode, use, useMemo } from "react";
import { useEndpoint } from "@/lib/client/hooks";
import { listCustomers } from "@/lib/contract/operations";

const Names = createContext<ReadonlyMap<string, string>>(new Map());

type CustomerNamesProps = {
  /** What the rows are. */
  of: "payment_link_ids" | "payment_ids";
  rows: readonly { _id: string }[];
  children: ReactNode;
};

const MAX_ROWS = 100;

/** Reads the names of the customers of a page of rows, once for all. */
export function CustomerNames({ of, rows, children }: CustomerNamesProps) {
  const ids = rows.slice(0, MAX_ROWS).map(({ _id }) => _id);
  const { data } = useEndpoint(
    listCustomers,
    { query: { [of]: ids.join(","), per_page: MAX_ROWS } },
    { enabled: ids.length > 0, keepPrevious: true },
  );
  const names = useMemo(
    () =>
      new Map(data?.data.flatMap(({ email, name }) => (name ? [[email.toLowerCase(), name]] : []))),
    [data],
  );
  return <Names value={names}>{children}</Names>;
}

/** The name of the customer with an address, where it has one. */
export function CustomerName({ email }: { email: string | null }) {
  const name = use(Names).get(email?.toLowerCase() ?? "");
  return name ? (
    <bdi lang="" className="block max-w-full truncate text-fine text-muted" title={name}>
      {name}
    </bdi>
  ) : null;
}
