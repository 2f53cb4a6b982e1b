/** The fields of a form body by name. Null when it is not UTF-8 or names a field twice. */
export function readForm(raw: Uint8Array): Map<string, string> | null {
  try {
    const fields = [...new URLSearchParams(new TextDecoder("utf-8", { fatal: true }).decode(raw))];
    const byName = new Map(fields);
    return byName.size === fields.length ? byName : null;
  } catch {
    return null;
  }
}
