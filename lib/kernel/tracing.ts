import { env } from "@/lib/env";
import { log, processName } from "./log";
import { setTracing, type About } from "./trace";
import { version } from "./version";

const FLUSH_MS = 3_000;
const WARN_EVERY_MS = 60_000;

/**
 * Sends spans to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names; without it nothing of OpenTelemetry is loaded. Nothing is registered
 * as global: only what Kutip declares is traced, nothing that a library would write of addresses and bodies. Returns what sends the last ones.
 */
export async function startTracing(): Promise<() => Promise<void>> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return async () => undefined;
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  warnAbout(api.diag, api.DiagLogLevel.WARN);
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({
        "service.name": "kutip",
        "service.version": version,
        "service.instance.id": `${processName(process.argv[1])}-${process.pid}`,
      })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(env.OTEL_TRACES_SAMPLER_ARG),
    }),
    spanLimits: { attributeValueLengthLimit: 4_000 },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer("kutip", version);
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };
  setTracing(({ name, kind, attributes }: About, parent) =>
    tracer.startSpan(
      name,
      { kind: kind ? kinds[kind] : api.SpanKind.INTERNAL, ...(attributes ? { attributes } : {}) },
      parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT,
    ),
  );
  return async () => {
    setTracing(undefined);
    await provider.forceFlush({ timeoutMillis: FLUSH_MS }).catch(() => undefined);
  };
}

/** A collector that is away is said once a minute, and costs no request anything. */
function warnAbout(
  diag: typeof import("@opentelemetry/api").diag,
  logLevel: import("@opentelemetry/api").DiagLogLevel,
): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = () => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    log.warn("traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT");
  };
  const quiet = () => undefined;
  diag.setLogger({ error: warn, warn, info: quiet, debug: quiet, verbose: quiet }, { logLevel });
}
