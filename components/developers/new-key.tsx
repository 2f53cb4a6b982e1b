"use client";

import { CodeBlock } from "@/components/ui/code-block";
import { ShownOnce } from "@/components/ui/shown-once";
import type { NewApiKey } from "@/lib/contract/api-keys";
import { listPaymentLinks } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";

/** Shows a key that was just made, this once; open while `made` is given. */
export function NewKey({ made, onClose }: { made: NewApiKey | null; onClose: () => void }) {
  return (
    <ShownOnce
      title="Your new key"
      description="Copy it now and put it where your program reads it. It belongs on your server, never in a page or an app."
      warning="Kutip shows only the last four characters later. If you lose the key, roll it to get a new one."
      open={made !== null}
      onClose={onClose}
    >
      {made ? (
        <div className="grid gap-4">
          <CodeBlock code={made.key} label="The new key" copyLabel="Copy key" />
          <div>
            <h3 className="mb-2 font-medium">Try it</h3>
            <CodeBlock
              code={snippet(listPaymentLinks, "curl", {
                baseUrl: window.location.origin,
                apiKey: made.key,
              })}
              label="A first call with this key"
              copyLabel="Copy call"
            />
          </div>
        </div>
      ) : null}
    </ShownOnce>
  );
}
