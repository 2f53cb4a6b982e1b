import type { Changes } from "./changes";

type ChangeListProps = {
  changes: readonly Changes[];
  /** How many entries of each part are shown; all by default. */
  each?: number;
  level?: 3 | 4;
};

/** The parts of a version with their entries. */
export function ChangeList({ changes, each, level = 3 }: ChangeListProps) {
  const Heading = `h${level}` as const;
  return changes.map(({ heading, entries }) => (
    <section key={heading} className="mb-4 last:mb-0">
      <Heading className="font-medium">{heading}</Heading>
      <ul className="mt-1 list-disc space-y-1 pl-5 text-muted">
        {entries.slice(0, each).map((entry) => (
          <li key={entry} className="wrap-break-word">
            {entry.split("`").map((text, index) =>
              index % 2 ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text
                <code key={index} className="font-mono text-fine">
                  {text}
                </code>
              ) : (
                text
              ),
            )}
          </li>
        ))}
      </ul>
    </section>
  ));
}
