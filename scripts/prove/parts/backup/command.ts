import { spawn } from "node:child_process";

export type Ended = { code: number; text: string };

/** Runs a program to its end beside this process; `text` is all that it printed. */
export function run(
  [program = "", ...args]: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; uid?: number; gid?: number } = {},
): Promise<Ended> {
  const child = spawn(program, args, {
    ...options,
    env: { ...process.env, NODE_ENV: "production", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, text: text.trim() }));
  });
}

/** Runs a program that has to succeed; returns what it printed. */
export async function succeed(
  command: readonly string[],
  options: Parameters<typeof run>[1] = {},
): Promise<string> {
  const { code, text } = await run(command, options);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${text}`);
  return text;
}

/** Runs the operator's built command. */
export const kutip = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
  run([process.execPath, "build/kutip.js", ...args], { env });
