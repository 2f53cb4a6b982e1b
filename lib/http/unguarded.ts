/** What server.ts guards and plain Next.js does not. docs/threat-model.md lists the same. */
export const UNGUARDED: readonly string[] = [
  "sockets of upgrade requests, which Next.js may keep open without a time limit",
  "time limits on headers, bodies and responses that are not read",
  "the number of connections from one address",
  "paths that can be read in two ways: Next.js folds dot segments and doubled slashes instead of refusing them",
  "methods and headers that control Next.js internals",
  "requests under way when the process stops",
  "Strict-Transport-Security on static files",
];

/** Says at the start of plain Next.js what is not guarded. */
export function printUnguarded(): void {
  const lines = UNGUARDED.map((one) => `  - ${one}`);
  console.warn(
    [
      "kutip: served by Next.js alone. It does not guard:",
      ...lines,
      "Use npm run web instead.",
    ].join("\n"),
  );
}
