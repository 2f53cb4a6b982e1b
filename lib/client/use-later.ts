"use client";

import { useEffect, useState } from "react";

/** A part that comes after the page: undefined until it is there, `known` where it has come before. `load` must be the same function each time. */
export function useLater<T extends object>(load: () => Promise<T>, known?: T): T | undefined {
  const [part, setPart] = useState<{ value: T }>();
  useEffect(() => {
    if (known !== undefined) return;
    let gone = false;
    load().then(
      (value) => gone || setPart({ value }),
      // Offline, or a new version was put in place: the page goes on without it.
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [load, known]);
  // A module that another caller loaded meanwhile is used at once; this caller's own request is dropped.
  return known ?? part?.value;
}
