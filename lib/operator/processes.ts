import type { LiveProcess } from "@/db/processes";

/** A process in words for the operator. */
export const describeProcess = ({ kind, pid, host, seconds }: LiveProcess): string =>
  `${kind} process ${pid} on ${host}, seen ${seconds} s ago`;
