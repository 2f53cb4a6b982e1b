import type { Checked } from "@/lib/compute/tasks";
import { type FieldErrors, Problem } from "@/lib/kernel/problem";

/** Runs a check in a compute thread; a Problem that it throws becomes plain data. */
export async function inThread<T>(
  work: () => Checked<T> | Promise<Checked<T>>,
): Promise<Checked<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, code, message, options } = error;
    return { ok: false, problem: { status, code, message, errors: options.errors } };
  }
}

/** What a thread returned. Throws the Problem that it met. */
export function fromThread<T>(
  checked: Checked<T>,
): { ok: true; data: T } | { ok: false; errors: FieldErrors } {
  if (checked.ok || "errors" in checked) return checked;
  const { status, code, message, errors } = checked.problem;
  throw new Problem(status, code, message, errors ? { errors } : {});
}
