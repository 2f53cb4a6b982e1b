import { AsyncLocalStorage } from "node:async_hooks";
import type { Span, SpanContext } from "@opentelemetry/api";

/** What a span says: declared names, numbers and states. Never a path, a header, a value of a statement or a text of a payer. */
export type Attributes = Record<string, string | number | boolean>;
export type About = {
  name: string;
  /** `server`: a call that came in. `client`: a call that went out. */
  kind?: "server" | "client";
  attributes?: Attributes;
};
/** Adds to the span; `failed` marks it as an error. */
export type Note = (attributes: Attributes, failed?: boolean) => void;

export type Tracing = {
  start: (about: About, parent: SpanContext | undefined) => Span;
  active: AsyncLocalStorage<Span>;
};

// Next.js bundles this module apart from our server: both meet in the process's own global.
const TRACING = Symbol.for("kutip.tracing");
const shared = globalThis as { [TRACING]?: Tracing };
const ERROR = 2;

/** Lets the process write spans from now on; undefined ends that. */
export function setTracing(start: Tracing["start"] | undefined): void {
  if (start) shared[TRACING] = { start, active: new AsyncLocalStorage() };
  else delete shared[TRACING];
}

/** Whether the work that runs here is part of a trace. Costs nothing where tracing is off. */
export const isTraced = (): boolean => shared[TRACING]?.active.getStore() !== undefined;

const nothing: Note = () => undefined;

/**
 * Runs `work` as a span: of the trace that `parent` names, a `traceparent`; else of the one it is part of, or of a new one. Work that
 * answers at once, without a promise, leaves no span.
 */
export function traced<T>(about: About, work: (note: Note) => T, parent?: string | null): T {
  const tracing = shared[TRACING];
  if (!tracing) return work(nothing);
  const around = parent ? contextOf(parent) : tracing.active.getStore()?.spanContext();
  const span = tracing.start(about, around);
  const note: Note = (attributes, failed) => {
    span.setAttributes(attributes);
    if (failed) span.setStatus({ code: ERROR });
  };
  const made = tracing.active.run(span, () => work(note));
  if (!(made instanceof Promise)) return made;
  made.then(
    () => span.end(),
    (error: unknown) => {
      note({ "error.type": nameOf(error) }, true);
      span.end();
    },
  );
  return made;
}

/** A message may hold a payer's data, a code does not. */
function nameOf(error: unknown): string {
  const { cause, code, name } = (error ?? {}) as {
    cause?: unknown;
    code?: unknown;
    name?: unknown;
  };
  const inner = (cause as { code?: unknown } | undefined)?.code ?? code ?? name;
  return typeof inner === "string" ? inner : "unknown";
}

/** The place in the trace as `traceparent` of W3C Trace Context has it, for what continues the work later; null outside of a trace. */
export function traceparent(): string | null {
  const context = shared[TRACING]?.active.getStore()?.spanContext();
  return context
    ? `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, "0")}`
    : null;
}

/** The ids that log lines have. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const context = shared[TRACING]?.active.getStore()?.spanContext();
  return context ? { trace_id: context.traceId, span_id: context.spanId } : {};
}

function contextOf(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
