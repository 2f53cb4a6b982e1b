import { type KeyboardEvent, type MouseEvent, useEffect, useState } from "react";

export type Pressed = "pointer" | "keys";

const opening = new Set(["ArrowDown", "ArrowUp"]);

/**
 * For a button that a menu or dialog replaces. It is replaced only after it was pressed: a press that meets the moment of another
 * change would be lost.
 */
export function usePress() {
  const [pressed, setPressed] = useState<Pressed>();
  return {
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
