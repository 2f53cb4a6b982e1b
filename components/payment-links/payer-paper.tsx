"use client";

import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { payerStyles } from "@/components/payer/styles";

/** The payer page's own style sheet for a preview box: sizes follow the box instead of the window, the theme follows the dashboard instead of the system. */
function stylesInBox(accent: string | null, dark: boolean): string {
  const css = payerStyles(accent)
    .replaceAll(":root{", ":host{")
    .replaceAll(
      /([},]|^)(html|body)\{/g,
      (_, before: string, name: string) => `${before}${name === "html" ? ":host" : ".body"}{`,
    )
    .replace(
      "@media screen and (prefers-color-scheme:dark)",
      dark ? "@media all" : "@media not all",
    )
    .replaceAll(/@media \((min|max)-width:/g, "@container ($1-width:");
  return `:host{all:initial;display:block;container-type:inline-size;font-size:16px}${css}.body{min-height:100%}.wrap{flex:none}`;
}

/** Draws what payers see, `width` pixels wide and made smaller to fit. Nothing in it can be pressed or reached. */
export function PayerPaper({
  accent,
  dark,
  width,
  children,
}: {
  accent: string | null;
  dark: boolean;
  width: number;
  children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const [root, setRoot] = useState<ShadowRoot | null>(null);
  const [fit, setFit] = useState({ scale: 1, height: 0 });

  useLayoutEffect(() => {
    if (host.current)
      setRoot(host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" }));
  }, []);
  useLayoutEffect(() => {
    if (!root) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(stylesInBox(accent, dark));
    root.adoptedStyleSheets = [sheet];
  }, [root, accent, dark]);
  useLayoutEffect(() => {
    const [outer, inner] = [box.current, host.current];
    if (!outer || !inner) return;
    const measure = () => {
      const scale = Math.min(1, outer.clientWidth / width);
      setFit({ scale, height: Math.ceil(inner.offsetHeight * scale) });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(outer);
    observer.observe(inner);
    return () => observer.disconnect();
  }, [width]);

  return (
    <div
      ref={box}
      inert
      aria-hidden="true"
      className="relative overflow-hidden"
      style={{ height: fit.height || 480 }}
    >
      <div
        ref={host}
        className="absolute top-0 left-1/2 origin-top"
        style={{ width, transform: `translateX(-50%) scale(${fit.scale})` }}
      >
        {root ? createPortal(<div className="body">{children}</div>, root) : null}
      </div>
    </div>
  );
}
