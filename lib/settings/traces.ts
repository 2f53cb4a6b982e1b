import * as z from "zod";
import { setting } from "./forms";

/** Names and meanings are OpenTelemetry's, so that an operator's own tools set them. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    default: null,
    shown: "nothing is traced",
    help: "the OpenTelemetry collector that takes traces, as OTLP over HTTP in JSON",
    expected: "an http or https address such as http://127.0.0.1:4318",
    schema: z.url({ protocol: /^https?$/ }).optional(),
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    default: null,
    shown: "none",
    help: "headers for the collector, such as its key",
    expected: "name=value, separated by commas",
    secret: true,
    schema: z
      .string()
      .regex(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/)
      .optional(),
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    default: "1",
    help: "share of the calls and jobs that are traced",
    expected: "a number from 0 to 1",
    schema: z
      .string()
      .regex(/^(0|1|0?\.\d{1,9}|1\.0+|0\.0+)$/)
      .transform(Number),
  }),
};
