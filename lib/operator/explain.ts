import { EnvError } from "@/lib/env";
import { errorText } from "@/lib/kernel/error-text";
import { isDiskFull, note } from "./usage";

/** Says what went wrong, in one line where we know what to do about it; returns the exit code. */
export function explain(error: unknown): number {
  if (
    error instanceof EnvError ||
    (error instanceof Error && (error.name === "Refusal" || error.name === "Problem"))
  ) {
    for (const line of error.message.split("\n")) note(line);
    const fields =
      (error as { options?: { errors?: Record<string, string[]> } }).options?.errors ?? {};
    for (const text of Object.values(fields).flat()) note(text);
    return 1;
  }
  if (isDiskFull(error)) {
    note(
      "a disk is full, of this machine or of the database: make room on it and try again; nothing is lost",
    );
    return 1;
  }
  console.error(errorText(error));
  return 1;
}
