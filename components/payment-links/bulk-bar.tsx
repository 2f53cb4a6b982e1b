"use client";

import { Ban, CalendarClock, Download, QrCode, Send, X } from "lucide-react";
import { useState } from "react";
import { useStarting } from "@/components/batches/use-batches";
import { links } from "@/components/batches/words";
import { AnchorButton, Button, IconButton } from "@/components/ui/button";
import { Confirm, Dialog } from "@/components/ui/dialog";
import { LinkButton } from "@/components/ui/link-button";
import type { Selection } from "@/components/ui/row-selection";
import { fileAddress } from "@/lib/client/files";
import { useEndpoint } from "@/lib/client/hooks";
import { displaySums } from "@/lib/client/sums";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  createBatch,
  exportPaymentLinks,
  getPaymentLinkTotals,
  listPaymentLinks,
} from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { batchLimits } from "@/lib/contract/batch-values";
import { ExtendForm } from "./extend-form";

type BulkBarProps = {
  selection: Selection;
  /** The links of this page. */
  links: readonly PaymentLink[];
  /** How many links the filters match. */
  total: number;
  /** The filters as the API takes them. */
  filters: Readonly<Record<string, string>>;
  /** The order of the list, undefined for its own. */
  sort: string | undefined;
};

/** What can be done with the selected links. */
export function BulkBar({ selection, links: shown, total, filters, sort }: BulkBarProps) {
  const { business, mode, path } = useScope();
  const { may } = useMembership();
  const [asking, setAsking] = useState<"cancel" | "extend" | null>(null);
  const { ids, rows, upTo, clear } = selection;
  const all = upTo !== null;
  const offersAll = !all && ids.length === rows.length && total > rows.length;
  const set = {
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")),
    // One that comes later was not selected, though the filters match it.
    ...(all ? { created_to: upTo } : {}),
  };
  const matching = useMatching(set, all || offersAll);
  const count = all ? (matching?.total ?? total) : ids.length;
  const { data: totals } = useEndpoint(
    getPaymentLinkTotals,
    { query: set },
    { enabled: all && count <= batchLimits.links },
  );
  const sums = all ? totals : shown.filter(({ _id }) => selection.has(_id));
  const { run, runAsync, busy } = useStarting(() => {
    setAsking(null);
    clear();
  });
  const chosen = all
    ? { query: set, body: { expected: count } }
    : { query: {}, body: { ids: [...ids] } };
  const start = (action: "cancel" | "remind") =>
    run({ query: chosen.query, body: { action, ...chosen.body } });
  const which = all ? set : { ids: ids.join(",") };
  const inOrder = { ...which, ...(sort ? { sort } : {}) };
  return (
    <section
      aria-label="Selected payment links"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line bg-surface px-4 py-2.5 shadow-float"
    >
      <p role="status" className="font-medium">
        {count.toLocaleString("en-GB")} selected
        {sums ? (
          <span className="font-normal text-muted tabular-nums">
            {", "}
            {displaySums(sums)}
          </span>
        ) : null}
      </p>
      {offersAll ? (
        <Button
          size="small"
          variant="ghost"
          aria-disabled={matching?.newest === undefined}
          onClick={() => matching?.newest && selection.selectAll(matching.newest)}
        >
          Select all {(matching?.total ?? total).toLocaleString("en-GB")} that match
        </Button>
      ) : null}
      <div className="ml-auto flex flex-wrap items-center gap-2">
        {may(createBatch) && count <= batchLimits.links ? (
          <>
            <Button size="small" once busy={busy} onClick={() => start("remind")}>
              <Send aria-hidden="true" className="size-3.5" />
              Remind
            </Button>
            <Button size="small" onClick={() => setAsking("extend")}>
              <CalendarClock aria-hidden="true" className="size-3.5" />
              Extend
            </Button>
            <Button
              size="small"
              once
              busy={busy}
              onClick={() => (all ? setAsking("cancel") : start("cancel"))}
            >
              <Ban aria-hidden="true" className="size-3.5" />
              Cancel links
            </Button>
          </>
        ) : may(createBatch) ? (
          <p className="text-fine text-muted">
            At most {batchLimits.links.toLocaleString("en-GB")} are changed at once.
          </p>
        ) : null}
        <AnchorButton
          size="small"
          href={fileAddress(exportPaymentLinks, { query: inOrder }, { business, mode })}
          download
        >
          <Download aria-hidden="true" className="size-3.5" />
          Export
        </AnchorButton>
        <LinkButton
          size="small"
          prefetch={false}
          href={path(`/payment-links/sheet?${new URLSearchParams(inOrder)}`)}
        >
          <QrCode aria-hidden="true" className="size-3.5" />
          QR sheet
        </LinkButton>
        <IconButton label="End the selection" onClick={clear}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
      <Confirm
        title={`Cancel ${links(count)}?`}
        confirm={`Cancel ${links(count)}`}
        cancel="Keep them"
        busy={busy}
        open={asking === "cancel"}
        onOpenChange={(open) => !open && setAsking(null)}
        onConfirm={() => start("cancel")}
      >
        <p>Cancelled links can no longer be paid. Paid ones stay as they are. You can undo this.</p>
      </Confirm>
      <Dialog
        title={`Extend ${links(count)}`}
        description="Open and expired links can be paid for longer. You can undo this."
        open={asking === "extend"}
        onOpenChange={(open) => !open && setAsking(null)}
      >
        <ExtendForm
          which={which}
          onSubmit={(extension) =>
            runAsync({
              query: chosen.query,
              body: { action: "extend", ...extension, ...chosen.body },
            })
          }
          onClose={() => setAsking(null)}
        />
      </Dialog>
    </section>
  );
}

/** How many links match, and once it is known when the newest of them was created. */
function useMatching(filters: Readonly<Record<string, string>>, enabled: boolean) {
  const { data: page, isPlaceholderData } = useEndpoint(
    listPaymentLinks,
    { query: { ...filters, page: 1, per_page: 1 } },
    { enabled, keepPrevious: true },
  );
  if (!page || !("total" in page)) return undefined;
  return { total: page.total, newest: isPlaceholderData ? undefined : page.data[0]?.created_at };
}
