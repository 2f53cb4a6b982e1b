/** HTML that is safe to send. Only `html` creates it, and `html` escapes every other value. */
export class Markup {
  constructor(readonly source: string) {}
}

type Part = string | Markup | readonly Markup[] | null | undefined | false;

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

function sourceOf(part: Part): string {
  if (!part) return "";
  if (part instanceof Markup) return part.source;
  return typeof part === "string" ? escapeHtml(part) : part.map(({ source }) => source).join("");
}

/** Template tag: strings are escaped, markup is taken as it is, nothing stays nothing. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    fixed.reduce((source, piece, index) => source + sourceOf(parts[index - 1]) + piece),
  );
}

/** Free text with its line breaks, which mail clients otherwise fold away. */
export function lines(text: string): Markup {
  return new Markup(
    text
      .split(/\r\n|\r|\n/)
      .map(escapeHtml)
      .join("<br>"),
  );
}
