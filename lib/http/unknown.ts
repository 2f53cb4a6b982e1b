import { randomUUID } from "node:crypto";
import { notFound } from "@/lib/kernel/problem";
import { frontDoor } from "./front-door";
import { fail } from "./respond";

/** An address under /api that is nobody's: the same 404 as an unknown id. */
export const unknownAddress = frontDoor(async () =>
  fail(notFound(), { "x-request-id": randomUUID() }),
);
