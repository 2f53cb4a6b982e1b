import pino from "pino";
import { vi } from "vitest";
import { log } from "@/lib/kernel/log";

/** The lines that this process writes into its log meanwhile. */
export async function logged(body: () => unknown): Promise<string[]> {
  const { level } = log;
  const lines: string[] = [];
  const stream = (log as unknown as Record<symbol, { write: (line: string) => boolean }>)[
    pino.symbols.streamSym
  ];
  if (!stream) throw new Error("the log has no stream");
  const write = vi.spyOn(stream, "write").mockImplementation((line) => lines.push(line) > 0);
  log.level = "info";
  try {
    await body();
  } finally {
    log.level = level;
    write.mockRestore();
  }
  return lines;
}
