import { Button } from "@/components/ui/button";
import { CodeBlock } from "@/components/ui/code-block";
import { Frame } from "./frame";

const command = 'kutip business:create "My shop" --email you@example.com';

/** In place of the first-run form where no start has printed a code: only `npm start` prints one. */
export function FirstCommand({ check, isChecking }: { check: () => void; isChecking: boolean }) {
  return (
    <Frame
      title="Set up Kutip"
      description="Create the first business on the server. You will be its owner."
    >
      <CodeBlock code={command} label="Command" copyLabel="Copy command" />
      <p className="mt-4 text-note text-muted">
        The command prints your password. Run it with the settings of this install:
        docs/operations/install.md shows how under Docker, Kubernetes and systemd.
      </p>
      <Button variant="primary" className="mt-6" busy={isChecking} onClick={check}>
        Check again
      </Button>
    </Frame>
  );
}
