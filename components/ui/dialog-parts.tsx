"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactElement, type ReactNode, useRef, useState } from "react";
import { Button } from "./button";
import { cx } from "./cx";
import { DialogGuard } from "./dialog-guard";
import { Field, Input } from "./fields";
import { useLeaveQuestion } from "./use-leave-question";

const backdrop = "veil fixed inset-0 z-50 bg-veil";
const popup =
  "appear fixed inset-x-4 top-1/2 z-50 mx-auto flex max-h-[calc(100svh-2rem)] max-w-lg -translate-y-1/2 flex-col overflow-hidden rounded-card bg-surface shadow-float focus:outline-none";

type DialogProps = {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
  trigger?: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  startOpen?: boolean;
  wide?: boolean;
  /** Focus goes to the first field instead of the button that closes the dialog. */
  focusField?: boolean;
};

/** A dialog with its title and a way out, which asks before what a form in it holds is lost; `trigger` opens it, or `open` and `onOpenChange` hold its state. */
export function DialogPopup({
  title,
  description,
  children,
  footer,
  trigger,
  open,
  onOpenChange,
  startOpen = false,
  wide = false,
  focusField = false,
}: DialogProps) {
  const box = useRef<HTMLDivElement>(null);
  const actions = useRef<Base.Root.Actions>(null);
  const [unsaved, setUnsaved] = useState(false);
  const question = useLeaveQuestion(unsaved, () => actions.current?.close());
  const change = (next: boolean, details: Base.Root.ChangeEventDetails) => {
    if (next || !unsaved || details.reason === "imperative-action") return onOpenChange?.(next);
    details.cancel();
    question.ask();
  };
  return (
    <Base.Root open={open} defaultOpen={startOpen} onOpenChange={change} actionsRef={actions}>
      {trigger ? <Base.Trigger render={trigger} /> : null}
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup
          ref={box}
          data-modal=""
          className={cx(popup, wide && "max-w-3xl")}
          initialFocus={() => (focusField && box.current?.querySelector("input")) || true}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4.5 pb-3">
            <div className="min-w-0">
              <Base.Title className="text-title font-semibold tracking-[-0.012em]">
                {title}
              </Base.Title>
              {description ? (
                <Base.Description className="mt-1 text-muted">{description}</Base.Description>
              ) : null}
            </div>
            <Base.Close
              aria-label="Close"
              className="-mr-1.5 grid size-8 shrink-0 place-items-center rounded-control text-muted hover:bg-accent-soft hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" />
            </Base.Close>
          </header>
          <div className="min-h-0 overflow-y-auto px-5 pb-5">
            <DialogGuard value={setUnsaved}>{children}</DialogGuard>
          </div>
          <ConfirmPopup
            title="Discard what you wrote?"
            confirm="Discard"
            cancel="Keep editing"
            {...question.of}
          >
            What you wrote here has not been saved.
          </ConfirmPopup>
          {footer ? (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">
              {footer}
            </footer>
          ) : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

type ConfirmProps = {
  title: string;
  children: ReactNode;
  /** The verb: "Delete link", never "OK". */
  confirm: string;
  cancel?: string;
  tone?: "danger" | "primary";
  /** Asked to be typed before the button works, for what cannot be undone. */
  typed?: string;
  busy?: boolean;
  /** What the question depends on is not known. */
  disabled?: boolean;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The dialog stays open until the caller closes it. */
  onConfirm: () => void;
};

/** Asks before something happens: names it, says what will follow. Escape and Cancel leave everything as it was. */
export function ConfirmPopup({
  title,
  children,
  confirm,
  cancel = "Cancel",
  tone = "danger",
  typed,
  busy,
  disabled,
  open,
  onOpenChange,
  onConfirm,
}: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className={backdrop} />
        <AlertDialog.Popup data-modal="" className={cx(popup, "max-w-md")}>
          <ConfirmBody
            key={String(open)}
            {...{ title, children, confirm, cancel, tone, typed, busy, disabled, onConfirm }}
          />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function ConfirmBody({
  title,
  children,
  confirm,
  cancel,
  tone,
  typed,
  busy,
  disabled = false,
  onConfirm,
}: Omit<ConfirmProps, "open" | "onOpenChange">) {
  const [text, setText] = useState("");
  const ready = !disabled && (typed === undefined || text.trim() === typed);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (ready && !busy) onConfirm();
  };
  return (
    <form onSubmit={submit} className="flex min-h-0 flex-col">
      <div className="min-h-0 overflow-y-auto px-5 pt-5 pb-4">
        <AlertDialog.Title className="text-lead font-semibold tracking-[-0.01em]">
          {title}
        </AlertDialog.Title>
        <AlertDialog.Description render={<div />} className="mt-1.5 text-muted">
          {children}
        </AlertDialog.Description>
        {typed === undefined ? null : (
          <Field label={`Type ${typed} to confirm`} className="mt-4">
            <Input
              value={text}
              onChange={(event) => setText(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
        )}
      </div>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">
        <AlertDialog.Close render={<Button />}>{cancel}</AlertDialog.Close>
        <Button
          type="submit"
          variant={tone === "danger" ? "destroy" : tone}
          busy={busy}
          disabled={!ready}
        >
          {confirm}
        </Button>
      </div>
    </form>
  );
}
