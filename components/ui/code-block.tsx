import { CopyButton } from "./copy-button";

/** Code to read and copy; scrolls sideways within itself and can be reached by keyboard. */
export function CodeBlock({ code, label, copyLabel }: { code: string; label: string; copyLabel?: string }) {
  return (
    <div className="relative rounded-control bg-sunken ring-1 ring-line ring-inset">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="overflow-x-auto rounded-control">
        <pre className="px-4 py-3 pr-14 font-mono text-fine leading-relaxed [overflow-wrap:normal]">
          <code>{code}</code>
        </pre>
      </section>
      <CopyButton icon text={code} label={copyLabel ?? "Copy code"} className="absolute top-1.5 right-1.5 bg-sunken" />
    </div>
  );
}
