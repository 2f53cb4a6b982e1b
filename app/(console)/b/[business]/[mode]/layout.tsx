import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { Shell } from "@/components/console/shell";
import { scopeOf } from "@/lib/client/scope";

type Props = { params: Promise<{ business: string; mode: string }>; children: ReactNode };

export default async function ConsoleLayout({ params, children }: Props) {
  const { business, mode } = await params;
  if (!scopeOf(`/b/${business}/${mode}`) || !/^\d{1,15}$/.test(business)) notFound();
  return (
    <div className={mode === "test" ? "[--banner:2rem]" : "[--banner:0rem]"}>
      <Shell>{children}</Shell>
    </div>
  );
}
