/** A part of the changelog: "Added", with its entries. */
export type Changes = { heading: string; entries: string[] };

/** The parts of the newest version in a changelog, as Keep a Changelog writes them. */
export function newestChanges(markdown: string): Changes[] {
  const [, newest = ""] = markdown.split(/^## /m);
  return newest
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [heading = "", ...lines] = part.split("\n");
      const entries = lines
        .join("\n")
        .split(/^- /m)
        .slice(1)
        .map((entry) =>
          entry
            .replace(/^#### .*$/gm, "")
            .replace(/\s+/g, " ")
            .trim(),
        );
      return { heading: heading.trim(), entries };
    })
    .filter(({ entries }) => entries.length > 0);
}
