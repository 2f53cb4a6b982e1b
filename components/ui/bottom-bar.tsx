"use client";

import { type ReactNode, useLayoutEffect, useRef } from "react";

const HEIGHT = "--bottom-bar";

/** What stays at the bottom of the window below a list. Notices are drawn above it: they would lie on its buttons. */
export function BottomBar({ children }: { children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const watch = new ResizeObserver(([seen]) => {
      const height = seen?.borderBoxSize[0]?.blockSize ?? 0;
      if (height > 0) style.setProperty(HEIGHT, `calc(${height}px + 0.5rem)`);
      else style.removeProperty(HEIGHT);
    });
    if (bar.current) watch.observe(bar.current);
    return () => {
      watch.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, []);
  return (
    <div ref={bar} className="sticky bottom-4 z-20 mt-3 grid gap-2">
      {children}
    </div>
  );
}
