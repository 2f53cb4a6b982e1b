"use client";

import { Download } from "lucide-react";
import { AnchorButton } from "@/components/ui/button";
import { fileAddress } from "@/lib/client/files";
import { useScope } from "@/lib/client/use-scope";

type ExportLinkProps = {
  /** The export of the list. */
  of: Parameters<typeof fileAddress>[0];
  list: { filters: Readonly<Record<string, string>>; query: { sort?: string } };
};

/** Downloads every row that the list's filters match, in its order. */
export function ExportLink({ of, list }: ExportLinkProps) {
  const { business, mode } = useScope();
  const query = { ...list.filters, sort: list.query.sort };
  return (
    <AnchorButton href={fileAddress(of, { query }, { business, mode })} download>
      <Download aria-hidden="true" className="size-4" />
      Export CSV
    </AnchorButton>
  );
}
