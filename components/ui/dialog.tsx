"use client";

import {
  cloneElement,
  type ComponentProps,
  type MouseEvent,
  type ReactElement,
  useId,
} from "react";
import { latePart, useLater } from "@/lib/client/later";
import { KeepFocus } from "./keep-focus";
import type * as DialogParts from "./dialog-parts";
import { usePress } from "./use-press";

// Loaded after the page, which is there sooner without it.
const dialogParts = latePart(() => import("./dialog-parts"));

/** A dialog with its title and a way out; `trigger` opens it, or `open` and `onOpenChange` hold its state. */
export function Dialog(props: ComponentProps<typeof DialogParts.DialogPopup>) {
  const { loaded: parts, pressed, press } = usePress(dialogParts, props.open);
  const id = useId();
  const trigger = props.trigger as ReactElement<ComponentProps<"button">> | undefined;
  if (parts && (pressed || props.open || !trigger))
    return (
      <KeepFocus key="after" id={id}>
        <parts.DialogPopup {...props} startOpen={pressed !== undefined} />
      </KeepFocus>
    );
  if (!trigger) return null;
  const open = (event: MouseEvent) => {
    press(event);
    props.onOpenChange?.(true);
  };
  return (
    <KeepFocus key="before" id={id}>
      {cloneElement(trigger, { "aria-haspopup": "dialog", "aria-expanded": false, onClick: open })}
    </KeepFocus>
  );
}

/** Asks before something happens: names it, says what will follow. Escape and Cancel leave everything as it was. */
export function Confirm(props: ComponentProps<typeof DialogParts.ConfirmPopup>) {
  const parts = useLater(dialogParts, props.open);
  return parts ? <parts.ConfirmPopup {...props} /> : null;
}
