/** A field's name in messages: underscores as blanks. */
export function label(path: readonly PropertyKey[]): string {
  return (
    path
      .filter((part) => typeof part === "string")
      .join(".")
      .replaceAll("_", " ") || "body"
  );
}
