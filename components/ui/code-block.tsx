import { CopyButton } from "./copy-button";

/** Code to read and copy; scrolls sideways within itself and can be reached by keyboard. */
export function CodeBlock({
  code,
  label,
  copyLabel,
}: {
  code: string;
  label: string;
  copyLabel?: string;
}) {
  return (
    <div className="flex rounded-control bg-sunken ring-1 ring-line ring-inset">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="min-w-0 flex-1 overflow-x-auto rounded-control"
      >
        <pre className="px-4 py-3 font-mono text-fine leading-relaxed [overflow-wrap:normal]">
          <code>{code}</code>
        </pre>
      </section>
      <CopyButton icon text={code} label={copyLabel ?? "Copy code"} className="m-1.5" />
    </div>
  );
}
