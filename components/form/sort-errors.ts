import type { FieldErrors } from "@/lib/kernel/problem";

/** Parts a 422 into what a form can show at its fields and what it must say as a whole. `limits.0.max` belongs to `limits`. */
export function sortErrors(
  errors: FieldErrors,
  fields: readonly string[],
): { own: Record<string, string>; other: string[] } {
  const own: Record<string, string> = {};
  const other: string[] = [];
  for (const [name, texts] of Object.entries(errors)) {
    const field = fields.includes(name) ? name : name.split(".")[0];
    if (field && fields.includes(field))
      own[field] = own[field] ? `${own[field]} ${texts.join(" ")}` : texts.join(" ");
    else other.push(...texts);
  }
  return { own, other };
}
