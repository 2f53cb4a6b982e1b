"use client";

import { useMembership } from "@/lib/client/use-me";
import { listApiKeys } from "@/lib/contract/operations";
import { Card } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";

/** A record as the API answers it, for those who may make keys for it: closed at first. */
export function JsonCard({ record }: { record: object }) {
  const { may } = useMembership();
  return !may(listApiKeys) ? null : (
    <Card>
      <details>
        <summary className="cursor-pointer font-medium">
          JSON <span className="font-normal text-muted">· as the API answers it</span>
        </summary>
        <div className="mt-3">
          <CodeBlock
            code={JSON.stringify(record, null, 2)}
            label="JSON of this record"
            copyLabel="Copy JSON"
          />
        </div>
      </details>
    </Card>
  );
}
