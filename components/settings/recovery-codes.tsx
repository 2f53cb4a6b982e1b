"use client";

import { Download } from "lucide-react";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { ShownOnce } from "@/components/ui/shown-once";
import { offerFile } from "@/lib/client/csv";

/** Shows recovery codes, this once; open while there are `codes`. */
export function RecoveryCodes({
  codes,
  onClose,
}: {
  codes: readonly string[] | null;
  onClose: () => void;
}) {
  const text = `${(codes ?? []).join("\n")}\n`;
  return (
    <ShownOnce
      title="Your recovery codes"
      description="Each code works once, without the app. Keep them where you keep your passwords, or print them."
      warning="If you lose the app and these codes, ask another owner to reset your second factor. If you are the only owner, or belong to several businesses, ask the operator."
      open={codes !== null}
      onClose={onClose}
    >
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-control bg-sunken px-4 py-3 font-mono ring-1 ring-line ring-inset"
      >
        {(codes ?? []).map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="mt-4 flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy codes" />
        <Button onClick={() => offerFile("kutip-recovery-codes.txt", text, "text/plain")}>
          <Download aria-hidden="true" className="size-4" />
          Download
        </Button>
      </div>
    </ShownOnce>
  );
}
