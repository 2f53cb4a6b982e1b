/** A query parameter of a page as one text; a repeated or empty one counts as absent. */
export const oneOf = (value: string | string[] | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;
