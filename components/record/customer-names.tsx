"use client";

import { createContext, type ReactNode, use, useMemo } from "react";
import { useEndpoint } from "@/lib/client/hooks";
import { listCustomers } from "@/lib/contract/operations";
import { customersOf, type RowsOf } from "./customers-of";

const Names = createContext<ReadonlyMap<string, string>>(new Map());

type CustomerNamesProps = {
  /** What the rows are. */
  of: RowsOf;
  rows: readonly { _id: string }[];
  children: ReactNode;
};

/** Reads the names of the customers of a page of rows, once for all. */
export function CustomerNames({ of, rows, children }: CustomerNamesProps) {
  const { data } = useEndpoint(listCustomers, customersOf(of, rows), {
    enabled: rows.length > 0,
    keepPrevious: true,
  });
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
