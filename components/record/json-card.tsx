import { Card } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";

/** A record as the API answers it. */
export function JsonCard({ record }: { record: object }) {
  return (
    <Card title="JSON" description="As the API answers it.">
      <CodeBlock
        code={JSON.stringify(record, null, 2)}
        label="JSON of this record"
        copyLabel="Copy JSON"
      />
    </Card>
  );
}
