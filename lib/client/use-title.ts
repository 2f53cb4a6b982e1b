import { useLayoutEffect } from "react";
import { withMark } from "./tab-mark";

/** Names the browser's tab after a record, once it is known: "Invoice 1042 · MYR 12.50". */
export function useTitle(...parts: readonly (string | null | undefined)[]): void {
  const title = parts.filter(Boolean).join(" · ");
  // Ends with the page itself: later it would name the next page after this record.
  useLayoutEffect(() => {
    if (!title) return;
    const name = () => {
      const whole = withMark(`${title} · Kutip`);
      if (document.title !== whole) document.title = whole;
    };
    name();
    // The page's own title may still be on its way.
    const head = new MutationObserver(name);
    head.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => head.disconnect();
  }, [title]);
}
