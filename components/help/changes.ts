/** A part of the changelog: "Added", with its entries. */
export type Changes = { heading: string; entries: string[] };
/** A version of the changelog. */
export type Version = { name: string; changes: Changes[] };

/** The versions of a changelog, as Keep a Changelog writes them; the newest first, without empty ones. */
export function versionsOf(markdown: string): Version[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((version) => ({
      name: version.split("\n", 1)[0]?.replace(/[[\]]/g, "").trim() ?? "",
      changes: changesOf(version),
    }))
    .filter(({ changes }) => changes.length > 0);
}

const changesOf = (version: string): Changes[] =>
  version
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
