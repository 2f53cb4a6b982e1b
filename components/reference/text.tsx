import type { ReactNode } from "react";

/** Prose with `code` and **strong** parts. */
export function Prose({ text }: { text: string }): ReactNode {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change.
    if (part.startsWith("`")) return <code key={index}>{part.slice(1, -1)}</code>;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change.
    if (part.startsWith("**")) return <strong key={index}>{part.slice(2, -2)}</strong>;
    return part;
  });
}

/** An address part of a heading: "Payment links" is "payment-links". */
export const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
