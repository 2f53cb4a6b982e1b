import { Badge } from "@/components/ui/badge";

/** An HTTP status in the colour of its class. */
export function RequestBadge({ status }: { status: number }) {
  return (
    <Badge tone={status < 300 ? "good" : status < 500 ? "warn" : "bad"}>{String(status)}</Badge>
  );
}

/** How long it took, for people. Takes milliseconds. */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
