"use client";

import { Ban, CalendarClock, Download, QrCode, Send, X } from "lucide-react";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import type * as z from "zod";
import { useStarting } from "@/components/batches/use-batches";
import { links } from "@/components/batches/words";
import { Form, SubmitButton } from "@/components/form/form";
import { CheckboxField } from "@/components/form/inputs";
import { MomentField } from "@/components/form/moment-input";
import { useContractForm } from "@/components/form/use-contract-form";
import { AnchorButton, Button, IconButton } from "@/components/ui/button";
import { Confirm, Dialog } from "@/components/ui/dialog";
import { LinkButton } from "@/components/ui/link-button";
import type { Selection } from "@/components/ui/row-selection";
import { fileAddress } from "@/lib/client/files";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { BatchInput } from "@/lib/contract/batches";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { createBatch, exportPaymentLinks, listPaymentLinks } from "@/lib/contract/operations";
import { batchLimits } from "@/lib/contract/batch-values";

type BulkBarProps = {
  selection: Selection;
  /** How many links the filters match. */
  total: number;
  /** The filters as the API takes them. */
  filters: Readonly<Record<string, string>>;
};

const Extension = PaymentLinkInput.pick({ expires_at: true })
  .required()
  .extend(BatchInput.pick({ shorten: true }).shape);

/** What can be done with the selected links. */
export function BulkBar({ selection, total, filters }: BulkBarProps) {
  const { business, mode, path } = useScope();
  const { may } = useMembership();
  const [asking, setAsking] = useState<"cancel" | "extend" | null>(null);
  const { ids, rows, all, clear } = selection;
  const count = all ? total : ids.length;
  const set = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  const { run, runAsync, busy } = useStarting(() => {
    setAsking(null);
    clear();
  });
  const chosen = all
    ? { query: set, body: { expected: total } }
    : { query: {}, body: { ids: [...ids] } };
  const start = (action: "cancel" | "remind") =>
    run({ query: chosen.query, body: { action, ...chosen.body } });
  const which = all ? set : { ids: ids.join(",") };
  return (
    <section
      aria-label="Selected payment links"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line bg-surface px-4 py-2.5 shadow-float"
    >
      <p role="status" className="font-medium">
        {count.toLocaleString("en-GB")} selected
      </p>
      {!all && ids.length === rows.length && total > rows.length ? (
        <Button size="small" variant="ghost" onClick={selection.selectAll}>
          Select all {total.toLocaleString("en-GB")} that match
        </Button>
      ) : null}
      <div className="ml-auto flex flex-wrap items-center gap-2">
        {may(createBatch) && count <= batchLimits.links ? (
          <>
            <Button size="small" busy={busy} onClick={() => start("remind")}>
              <Send aria-hidden="true" className="size-3.5" />
              Remind
            </Button>
            <Button size="small" onClick={() => setAsking("extend")}>
              <CalendarClock aria-hidden="true" className="size-3.5" />
              Extend
            </Button>
            <Button
              size="small"
              busy={busy}
              onClick={() => (all ? setAsking("cancel") : start("cancel"))}
            >
              <Ban aria-hidden="true" className="size-3.5" />
              Cancel
            </Button>
          </>
        ) : may(createBatch) ? (
          <p className="text-fine text-muted">
            At most {batchLimits.links.toLocaleString("en-GB")} are changed at once.
          </p>
        ) : null}
        <AnchorButton
          size="small"
          href={fileAddress(exportPaymentLinks, { query: which }, { business, mode })}
          download
        >
          <Download aria-hidden="true" className="size-3.5" />
          Export
        </AnchorButton>
        <LinkButton
          size="small"
          prefetch={false}
          href={path(`/payment-links/sheet?${new URLSearchParams(which)}`)}
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
        <p>
          Links that can still be cancelled take no more money. Paid ones stay as they are. You can
          undo this.
        </p>
      </Confirm>
      <Dialog
        title={`Extend ${links(count)}`}
        description="Each that is open or expired can be paid until then. Links that expire later keep their expiry, and due dates stay. You can undo this."
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

function endlessWords(count: number, shorten: boolean): string {
  if (count === 1)
    return `1 open payment link never expires. It ${shorten ? "gets this expiry too" : "stays as it is"}.`;
  return `${count.toLocaleString("en-GB")} open payment links never expire. They ${shorten ? "get this expiry too" : "stay as they are"}.`;
}

function ExtendForm({
  which,
  onSubmit,
  onClose,
}: {
  /** The filters that find the links. */
  which: Readonly<Record<string, string>>;
  onSubmit: (extension: z.output<typeof Extension>) => Promise<unknown>;
  onClose: () => void;
}) {
  const form = useContractForm(Extension, {
    defaults: { expires_at: "", shorten: false },
    submit: onSubmit,
    onSaved: () => undefined,
  });
  const shorten = useWatch({ control: form.fields.control, name: "shorten" });
  const endless = useEndpoint(
    listPaymentLinks,
    { query: { ...which, open: "true", has_expiry: "false", page: 1, per_page: 1 } },
    { enabled: which.open !== "false" },
  );
  const count = endless.data && "total" in endless.data ? endless.data.total : 0;
  return (
    <Form form={form} label="Extend payment links">
      <MomentField form={form} name="expires_at" label="New expiry" />
      <p role="status" className="text-note empty:hidden">
        {count > 0 ? endlessWords(count, shorten === true) : null}
      </p>
      <CheckboxField
        form={form}
        name="shorten"
        label="Change links that never expire, or expire later, too"
        hint="They then have less time than now."
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton>Extend</SubmitButton>
      </div>
    </Form>
  );
}
