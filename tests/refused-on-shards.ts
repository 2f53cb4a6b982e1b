const column = String.raw`(?<![\w"$:.])(?:"?\w+"?\.)?"?\w+"?`;
const moment = String.raw`(?:now|clock_timestamp|statement_timestamp)\(\)`;

/** Forms that an update has outside its subqueries. */
const ofUpdates = [
  // A moment and an interval are added by a function that depends on the session.
  new RegExp(String.raw`${column}\s+[+-]\s+(?:interval|make_interval)\b`, "i"),
  new RegExp(String.raw`\bcoalesce\((?:[^()]|\(\))*${moment}`, "i"),
  new RegExp(String.raw`\bcase\b(?:(?!\bend\b).)*${moment}`, "is"),
  /\bconcat_ws\(|\bclock_timestamp\(/i,
  // What an insert does instead.
  new RegExp(String.raw`^update\s+set\b.*${moment}`, "is"),
];
/** Forms that a write has anywhere. */
const ofWrites = [
  /^(?=.*\bupdate\b).*\b(case\s+[\w."]+\s+when\b)/is,
  /\bvalues\s*\((?:[^()]|\((?!\s*select\b)[^()]*\))*(\(\s*select\b)/i,
];

/** Tables that stay on one server, and that statements join with no others. */
const local =
  /\b(?:into|update)\s+"?(?:auth_(?!users\b)\w+|backup_schedule|processes|rate_limits|simulator)\b/i;

/** The part of a statement that Citus refuses and a plain server takes (docs/decisions/citus.md). */
export function refusedOnShards(text: string): string | undefined {
  if (!/\b(?:update\b[^;]*\bset|insert\s+into)\b/i.test(text) || local.test(text)) return undefined;
  const updates = withoutSubqueries(text)
    .split(/(?=\bupdate\b)/i)
    .filter((part) => /^update\b[^;]*?\bset\b/i.test(part));
  return [
    ...ofWrites.map((form) => form.exec(text)?.[1]),
    ...updates.flatMap((part) => ofUpdates.map((form) => form.exec(part)?.[0])),
  ].find(Boolean);
}

/** A text without its parentheses that begin with `select`. */
function withoutSubqueries(text: string): string {
  const start = /\(\s*select\b/i.exec(text);
  if (!start) return text;
  let depth = 0;
  for (let at = start.index; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0)
      return text.slice(0, start.index) + withoutSubqueries(text.slice(at));
  }
  return text.slice(0, start.index);
}
