import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { FrameData } from "@/components/console/page-data";
import { Shell } from "@/components/console/shell";
import { reading, scopeOfParams } from "@/lib/client/page-data";
import { getMe } from "@/lib/contract/operations";
import { pageReads } from "@/lib/kernel/page-reads";

type Props = { params: Promise<{ business: string; mode: string }>; children: ReactNode };

export default async function ConsoleLayout({ params, children }: Props) {
  const { business, mode } = await params;
  if (!scopeOfParams({ business, mode })) notFound();
  return (
    <div className={mode === "test" ? "[--banner:2rem]" : "[--banner:0rem]"}>
      <FrameData params={params} reads={[reading(getMe, {})]}>
        <Shell since={pageReads()?.since()}>{children}</Shell>
      </FrameData>
    </div>
  );
}
