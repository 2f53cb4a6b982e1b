"use client";

import { cx } from "@/components/ui/cx";

// The frame inherits this page's policy, so the mail's own style element needs this page's nonce.
function framed(html: string): string {
  const nonce = document.querySelector<HTMLElement>("style[nonce],script[nonce]")?.nonce ?? "";
  return html.replaceAll(/<style(?=[\s>])/g, `<style nonce="${nonce}"`);
}

/** A mail's HTML as the payer sees it, in a frame that can run nothing. */
export function MailFrame({ html, className }: { html: string; className: string }) {
  return (
    <iframe
      title="The mail as the payer sees it"
      sandbox=""
      srcDoc={framed(html)}
      className={cx("w-full rounded-control bg-white ring-1 ring-line", className)}
    />
  );
}
