import type { Batch } from "@/lib/contract/batches";

type Tab = { mayUndo: boolean; started: ReadonlySet<string> };

/**
 * Whether the notice at the end of a batch offers Undo: only in the tab that started it. Ctrl/Cmd+Z would otherwise undo the work of a
 * colleague, who finds Undo on the batch's own page.
 */
export const offersUndo = (
  { _id, can_undo: canUndo }: Pick<Batch, "_id" | "can_undo">,
  { mayUndo, started }: Tab,
): boolean => canUndo && mayUndo && started.has(_id);
