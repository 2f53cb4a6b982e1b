import { randomUUID } from "node:crypto";
import { notFound } from "@/lib/kernel/problem";
import { fail } from "./respond";

/** An address under /api that is nobody's: the same 404 as an unknown id. */
export const unknownAddress = async (_request: Request): Promise<Response> =>
  fail(notFound(), { "x-request-id": randomUUID() });
