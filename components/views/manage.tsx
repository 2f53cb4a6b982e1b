"use client";

import { Trash2 } from "lucide-react";
import { useState } from "react";
import { IconButton } from "@/components/ui/button";
import { Confirm, Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import type { ViewsProps } from "@/lib/client/views";
import { deleteSavedView, listSavedViews } from "@/lib/contract/operations";
import type { SavedView } from "@/lib/contract/saved-views";

/** The views of a list that the person may delete. */
export function ManageViews({ of, onClose }: Pick<ViewsProps, "of"> & { onClose: () => void }) {
  const views = useEndpoint(listSavedViews, { query: { list: of } });
  const [deleting, setDeleting] = useState<SavedView | null>(null);
  const remove = useAction(deleteSavedView, { onSuccess: () => setDeleting(null) });
  return (
    <Dialog
      title="Saved views"
      description="A team view can be deleted by its creator, an admin or an owner."
      open
      onOpenChange={(open) => !open && onClose()}
    >
      {views.error && !views.data ? (
        <ErrorState error={views.error} retry={() => void views.refetch()} />
      ) : views.data?.length === 0 ? (
        <p className="text-muted">None are left.</p>
      ) : (
        <ul className="divide-y divide-line">
          {views.data?.map((view) => (
            <Row key={view._id} view={view} onDelete={setDeleting} />
          ))}
        </ul>
      )}
      <Confirm
        title={`Delete “${deleting?.name ?? ""}”?`}
        confirm="Delete view"
        cancel="Keep it"
        busy={remove.busy}
        open={deleting !== null}
        onOpenChange={(open) => !open && setDeleting(null)}
        onConfirm={() => deleting && remove.run({ params: { saved_view_id: deleting._id } })}
      >
        <p>
          {deleting?.shared ? "It is gone for the whole team. " : ""}The records that it shows stay.
          This cannot be undone.
        </p>
      </Confirm>
    </Dialog>
  );
}

function Row({ view, onDelete }: { view: SavedView; onDelete: (view: SavedView) => void }) {
  const { role } = useMembership();
  const may = view.mine || role === "owner" || role === "admin";
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="min-w-0 flex-1">
        <span className="block truncate" dir="auto" lang="">
          {view.name}
        </span>
        <span className="block text-fine text-muted">
          {view.shared ? `For the team, saved by ${view.mine ? "you" : view.saved_by}` : "Yours"}
        </span>
      </span>
      {may ? (
        <IconButton label={`Delete ${view.name}`} onClick={() => onDelete(view)}>
          <Trash2 aria-hidden="true" />
        </IconButton>
      ) : null}
    </li>
  );
}
