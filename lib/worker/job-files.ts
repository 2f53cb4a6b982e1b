/**
 * What each `job.ts` exports. The build of the Node entries and the tests fill this list from the files that exist
 * (`scripts/jobs-plugin.mjs`); Next.js runs no job and no route, and keeps it empty.
 */
export const jobFiles: Record<string, unknown>[] = [];
