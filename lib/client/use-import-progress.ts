"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import type { StreamMessage } from "@/lib/contract/stream";
import { keys } from "./keys";
import { useScope } from "./use-scope";

type Progress = NonNullable<StreamMessage["progress"]>;

/** How many rows of an import are created, as the live stream reports it; undefined before the first report. */
export function useImportProgress(importId: string | null): Progress | undefined {
  const { business, mode } = useScope();
  return useQuery<Progress>({
    queryKey: keys.importProgress({ business, mode }, importId ?? ""),
    queryFn: skipToken,
  }).data;
}
