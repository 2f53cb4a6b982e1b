"use client";

import {
  cloneElement,
  type ComponentProps,
  type MouseEvent,
  type ReactElement,
  useId,
} from "react";
import { useLater } from "@/lib/client/use-later";
import { KeepFocus } from "./keep-focus";
import type * as DialogParts from "./dialog-parts";
import { usePress } from "./use-press";

// Loaded after the page, which is there sooner without it.
let loaded: typeof DialogParts | undefined;
const load = async () => (loaded = await import("./dialog-parts"));

/** A dialog with its title and a way out; `trigger` opens it, or `open` and `onOpenChange` hold its state. */
export function Dialog(props: ComponentProps<typeof DialogParts.DialogPopup>) {
  const parts = useLater(load, loaded);
  const { pressed, press } = usePress();
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
  const parts = useLater(load, loaded);
  return parts ? <parts.ConfirmPopup {...props} /> : null;
}
