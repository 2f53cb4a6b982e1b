"use client";

import { useEffect, useState } from "react";

/** A part that comes after the page: undefined until it is there. `load` must be the same function each time. */
export function useLater<T>(load: () => Promise<T>): T | undefined {
  const [part, setPart] = useState<{ value: T }>();
  useEffect(() => {
    let gone = false;
    load().then(
      (value) => gone || setPart({ value }),
      // Offline, or a new version was put in place: the page goes on without it.
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [load]);
  return part?.value;
}
