import type { DehydratedState } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { Ready } from "@/components/ui/ready";
import { type PageRead, readForPage, scopeOfParams } from "@/lib/client/page-data";
import { pageReads } from "@/lib/kernel/page-reads";
import { Hydrated } from "./hydrated";
import { PageBefore } from "./page-before";
import { PageSkeleton } from "./page-skeleton";

type PageDataProps = {
  params: Promise<{ business: string; mode: string }>;
  reads: readonly PageRead[];
  children: ReactNode;
};

/**
 * Reads on the server what its children ask for with `useEndpoint`, so that they are drawn with it and the browser does not ask again. A document
 * begins with the frame and holds the page's place. From page to page the page before stays: React shows what holds a place for 0.3 s at least,
 * and most pages take less.
 */
export async function PageData({ params, reads, children }: PageDataProps) {
  const state = readForPage(scopeOfParams(await params), reads);
  const isDocument = pageReads()?.isDocument() ?? true;
  return (
    // An element with a box: Next.js scrolls to the top of a new page only where it finds one.
    <div>
      <Suspense fallback={isDocument ? <PageSkeleton /> : <PageBefore />}>
        {isDocument ? (
          <WithData state={state}>{children}</WithData>
        ) : (
          <Filled state={await state}>{children}</Filled>
        )}
      </Suspense>
    </div>
  );
}

/** The frame's own data: nothing of a page is shown without it. */
export async function FrameData({ params, reads, children }: PageDataProps) {
  const state = readForPage(scopeOfParams(await params), reads);
  return <WithData state={state}>{children}</WithData>;
}

async function WithData({
  state,
  children,
}: {
  state: Promise<DehydratedState>;
  children: ReactNode;
}) {
  return <Filled state={await state}>{children}</Filled>;
}

function Filled({ state, children }: { state: DehydratedState; children: ReactNode }) {
  return (
    <Hydrated state={state}>
      <Ready>{children}</Ready>
    </Hydrated>
  );
}
