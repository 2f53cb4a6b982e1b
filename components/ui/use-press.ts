import { type KeyboardEvent, type MouseEvent, useEffect, useState } from "react";
import { type LatePart, useLater } from "@/lib/client/later";

export type Pressed = "pointer" | "keys";

const opening = new Set(["ArrowDown", "ArrowUp"]);

/**
 * For a button that a menu or dialog replaces once its `part` has loaded. It is replaced only after it was pressed: a press that meets
 * the moment of another change would be lost. A press waits for the part until something else is done: it must not open a menu then.
 */
export function usePress<T extends object>(part: LatePart<T>, open = false) {
  const [pressed, setPressed] = useState<Pressed>();
  const loaded = useLater(part, open || pressed !== undefined);
  const waiting = pressed !== undefined && loaded === undefined;
  useEffect(() => {
    if (!waiting) return;
    const over = new AbortController();
    // Before the button itself, which keeps a second press of it.
    for (const name of ["click", "keydown"])
      window.addEventListener(name, () => setPressed(undefined), {
        capture: true,
        signal: over.signal,
      });
    return () => over.abort();
  }, [waiting]);
  return {
    loaded,
    pressed,
    press: (event: MouseEvent) => setPressed(event.detail === 0 ? "keys" : "pointer"),
    /** A menu also opens by the arrow keys. */
    byArrows: (event: KeyboardEvent) => {
      if (!opening.has(event.key)) return;
      event.preventDefault();
      setPressed("keys");
    },
  };
}

/** Presses the focused button again where the first press was a key: the menu then begins with its first entry. */
export function usePressAgain(pressed: Pressed): void {
  useEffect(() => {
    if (pressed === "keys" && document.activeElement instanceof HTMLButtonElement)
      document.activeElement.click();
  }, [pressed]);
}
