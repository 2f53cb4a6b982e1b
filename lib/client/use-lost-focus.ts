import { useEffect } from "react";

/** By then whatever opened or closed has placed the focus itself. */
const settledMs = 100;
const open = "[role=dialog],[role=alertdialog],[role=menu]";

/**
 * Moves the focus to the page's `#content` when the focused element disappears. The next Tab continues from there and not from the
 * top of the page.
 */
export function useLostFocus(): void {
  useEffect(() => {
    let held: Element | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lost = () => {
      const { activeElement, body } = document;
      return (
        (!activeElement || activeElement === body) &&
        held !== null &&
        held !== body &&
        (!held.isConnected || held.matches(":disabled"))
      );
    };
    const settle = () => {
      if (lost() && !document.querySelector(open))
        document.getElementById("content")?.focus({ preventScroll: true });
    };
    const changed = () => {
      if (!lost()) return;
      clearTimeout(timer);
      timer = setTimeout(settle, settledMs);
    };
    // A click on what takes no focus gives it up on purpose.
    const hold = () => (held = document.activeElement);
    const observer = new MutationObserver(changed);
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ["disabled"],
    });
    document.addEventListener("focusin", hold);
    document.addEventListener("click", hold, true);
    hold();
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("focusin", hold);
      document.removeEventListener("click", hold, true);
    };
  }, []);
}
