import { randomBytes } from "node:crypto";

/** Where a file is written until it is complete. Two commands that write one file at once each have their own. */
export const halfOf = (file: string): string => `${file}.${randomBytes(4).toString("hex")}.part`;
