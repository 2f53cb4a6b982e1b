import { inSources } from "./source-places";

const ADDRESS = /[^\s@<>"'(),:;]{1,64}(?:@|%40)[^\s@<>"'(),:;]{1,255}/gi;
const MAX_CAUSES = 5;

/** A text with its e-mail addresses masked: mail servers and gateways quote those of payers, and no erasure reaches a log. */
export const withoutAddresses = (text: string): string => text.replaceAll(ADDRESS, "[address]");

type ErrorFields = { type?: string; message: string; code?: unknown; stack?: string };

const isQuery = (error: Error) => error.message.startsWith("Failed query");
const causeOf = (error: Error) => (error.cause instanceof Error ? error.cause : undefined);

/** Drizzle's messages end in the statement's parameters, which may be a payer's data or a secret: only the cause is kept. */
export function errorForLog(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { message: typeof error };
  const cause = causeOf(error);
  const code =
    (cause as { code?: unknown } | undefined)?.code ?? (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: withoutAddresses(
      isQuery(error) ? `Failed query: ${cause?.message ?? "no cause"}` : error.message,
    ),
    ...(code === undefined ? {} : { code }),
    stack: inSources(stackLines((isQuery(error) ? cause?.stack : error.stack) ?? "")),
  };
}

/** The same as text, with the errors that caused it: what a terminal shows may be kept as a log is. */
export function errorText(error: unknown): string {
  const parts: string[] = [];
  for (let one = error; one !== undefined && parts.length < MAX_CAUSES; ) {
    const { type = "Error", message, code, stack = "" } = errorForLog(one);
    parts.push(`${type}: ${message}${code === undefined ? "" : ` (${String(code)})`}\n${stack}`);
    one = one instanceof Error && !isQuery(one) ? causeOf(one) : undefined;
  }
  return parts.map((part) => part.trimEnd()).join("\ncaused by ");
}

const stackLines = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .slice(0, 12)
    .join("\n");
