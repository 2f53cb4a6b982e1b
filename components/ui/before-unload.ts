import { useEffect, useRef } from "react";

/** Lets the browser ask before the page is closed or loaded again while `isKept` says that something would be lost. */
export function useBeforeUnload(isKept: () => boolean): void {
  const latest = useRef(isKept);
  latest.current = isKept;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (latest.current()) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
}
