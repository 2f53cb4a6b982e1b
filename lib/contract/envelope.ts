import type { ProblemCode } from "@/lib/kernel/problem";
import * as z from "zod";

/** The answer to a successful call, always with status 200. */
export const envelope = <T extends z.ZodType>(data: T) =>
  z.object({
    success: z.literal(true),
    data,
    errors: z.null(),
    meta: z.object({
      timestamp: z
        .string()
        .meta({ examples: ["2026-11-20 13:34:45 UTC"], description: "`YYYY-MM-DD HH:MM:SS UTC`" }),
      timezone: z.literal("UTC"),
    }),
  });

/** The 422: exactly these two fields. */
export const ValidationError = z
  .object({
    message: z.literal("The given data was invalid."),
    errors: z.record(z.string(), z.array(z.string())),
  })
  .meta({
    id: "ValidationError",
    examples: [
      {
        message: "The given data was invalid.",
        errors: { email: ["The email field is required."] },
      },
    ],
  });

/** The codes of failures that programs can meet. */
const failureCodes = [
  "malformed_request",
  "unauthenticated",
  "forbidden",
  "email_unverified",
  "cross_origin",
  "key_cannot_do_this",
  "reauthentication_required",
  "not_found",
  "method_not_allowed",
  "conflict",
  "gateway_not_connected",
  "not_payable",
  "refund_unsupported",
  "stale_version",
  "idempotency_in_progress",
  "secret_already_shown",
  "payload_too_large",
  "unsupported_media_type",
  "too_many_requests",
  "internal_error",
  "unavailable",
] as const satisfies readonly ProblemCode[];

/** Every other failure. */
export const Failure = z
  .object({
    message: z.string(),
    code: z.enum(failureCodes).meta({ description: "More codes may be added over time." }),
    errors: z.object({}).meta({ description: "Always empty." }),
  })
  .meta({ id: "Failure", examples: [{ message: "Not found.", code: "not_found", errors: {} }] });

/** A page of a list: Laravel's cursor paginator; with `page` in the query, the length-aware one. */
export const page = <T extends z.ZodType>(item: T) =>
  z.union([
    z.object({
      data: z.array(item),
      path: z.string(),
      per_page: z.int(),
      next_cursor: z.string().nullable(),
      next_page_url: z.string().nullable(),
      prev_cursor: z.string().nullable(),
      prev_page_url: z.string().nullable(),
    }),
    z.object({
      current_page: z.int(),
      data: z.array(item),
      first_page_url: z.string(),
      from: z.int().nullable(),
      last_page: z.int(),
      last_page_url: z.string(),
      next_page_url: z.string().nullable(),
      path: z.string(),
      per_page: z.int(),
      prev_page_url: z.string().nullable(),
      to: z.int().nullable(),
      total: z.int(),
    }),
  ]);

export type CursorPage<T> = {
  data: T[];
  path: string;
  per_page: number;
  next_cursor: string | null;
  next_page_url: string | null;
  prev_cursor: string | null;
  prev_page_url: string | null;
};
export type NumberedPage<T> = {
  current_page: number;
  data: T[];
  first_page_url: string;
  from: number | null;
  last_page: number;
  last_page_url: string;
  next_page_url: string | null;
  path: string;
  per_page: number;
  prev_page_url: string | null;
  to: number | null;
  total: number;
};
export type Page<T> = CursorPage<T> | NumberedPage<T>;
