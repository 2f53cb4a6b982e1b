import { isatty } from "node:tty";

/** A command called in a way it does not understand; shown with the command's usage. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** What is wrong with the arguments, or null when the error is about something else. */
export function usageProblem(error: unknown): string | null {
  if (error instanceof UsageError) return error.message;
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS")
    ? (error as Error).message
    : null;
}

/** Whether a command is asked how it is called, rather than called. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((one) => one === "--help" || one === "-h");
}

/** Writes what the command was asked for to stdout. */
export function print(text: string): void {
  write(process.stdout, `${text}\n`);
}

/** A program that reads the answer, such as `head`, may end before the command, which then goes on. */
function write(stream: NodeJS.WriteStream, text: string): void {
  if (stream.listenerCount("error") === 0) stream.on("error", ignoreClosedPipe);
  stream.write(text);
}

function ignoreClosedPipe(error: Error): void {
  if ((error as { code?: string }).code !== "EPIPE") throw error;
}

/** Writes what goes along with it to stderr, so that stdout can be read by a program. */
export function note(text: string): void {
  write(process.stderr, `kutip: ${text}\n`);
}

/** The lines of stdin. Secrets come this way, as others see arguments. A person who types them gets the hint. */
export async function linesOfStdin(hint: string): Promise<string[]> {
  if (isatty(0)) note(hint);
  // Not by readFileSync, which fails with EAGAIN where the pipe has nothing yet.
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8").split(/\r?\n/);
}

/** Whether an error, or its cause, is a full disk: of this machine or of the database's. */
export function isDiskFull(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 6; depth++) {
    const { code } = cause as { code?: unknown };
    if (code === "ENOSPC" || code === "53100" || /No space left on device/.test(cause.message))
      return true;
    cause = cause.cause;
  }
  return false;
}
