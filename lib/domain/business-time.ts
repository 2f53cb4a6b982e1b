import { env } from "@/lib/env";
import { timeShare } from "@/lib/kernel/time-share";

/** The time of a web process among businesses that call at the same moment (RATE_LIMIT_TIME), by business id. */
export const businessTime = timeShare(() => env.RATE_LIMIT_TIME);

/** Payers count as one neighbour of every business: they never wait here. */
export const notePayer = (): void => businessTime.note("payers");
