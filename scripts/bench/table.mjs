// The lines of the bench's table: each has a goal, a result and whether it was met.

/** A line. `goal` and `result` are in words. */
export const line = (name, goal, result, met) => ({ name, goal, result, met });

/** A line with a number of `unit` as its result, which must be at least, or at most, the goal. */
export const atLeast = (name, goal, value, unit = "") =>
  line(name, `≥ ${inWords(goal, unit)}`, inWords(value, unit), value >= goal);
export const atMost = (name, goal, value, unit = "") =>
  line(name, `≤ ${inWords(goal, unit)}`, inWords(value, unit), value <= goal);

/** The middle value; of an even number of values the higher one of the two. */
export const median = (values) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function inWords(value, unit) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const number = value.toLocaleString("en", { maximumFractionDigits: digits });
  return unit === "" || unit === "×" || unit.startsWith("/")
    ? `${number}${unit}`
    : `${number} ${unit}`;
}

/** The table in Markdown. */
export function tableOf(lines) {
  const rows = lines.map(
    ({ name, goal, result, met }) => `| ${name} | ${goal} | ${result} | ${met ? "yes" : "no"} |`,
  );
  return ["| | Goal | Result | Met |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
