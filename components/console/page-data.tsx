import { HydrationBoundary } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Ready } from "@/components/ui/ready";
import { type PageRead, readForPage, scopeOfParams } from "@/lib/client/page-data";

type PageDataProps = {
  params: Promise<{ business: string; mode: string }>;
  reads: readonly PageRead[];
  children: ReactNode;
};

/** Reads on the server what its children ask for with `useEndpoint`, so that they are drawn with it and the browser does not ask again. */
export async function PageData({ params, reads, children }: PageDataProps) {
  const state = await readForPage(scopeOfParams(await params), reads);
  return (
    <HydrationBoundary state={state}>
      <Ready>{children}</Ready>
    </HydrationBoundary>
  );
}
