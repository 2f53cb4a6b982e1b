import { Badge, StatusBadge } from "@/components/ui/badge";
import type { Batch } from "@/lib/contract/batches";

/** How far a change of many is, or that it was undone. */
export function BatchBadge({ batch }: { batch: Pick<Batch, "status" | "undone_by"> }) {
  return batch.undone_by ? <Badge>Undone</Badge> : <StatusBadge status={batch.status} />;
}
