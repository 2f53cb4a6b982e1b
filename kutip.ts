import { inspect } from "node:util";
import { EnvError, env, provideEnv } from "@/lib/env";
import { inSources } from "@/lib/kernel/source-places";
import { version } from "@/lib/kernel/version";
import { type Command, commands } from "@/lib/operator/commands";
import { asksForHelp, isDiskFull, note, print, usageProblem } from "@/lib/operator/usage";

// The operator's command. What went wrong is said in one line where we know what to do about it.

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: string[]): Promise<number> {
  if (!name || name === "--help" || name === "-h" || name === "help") {
    print(help());
    return name ? 0 : 2;
  }
  if (name === "--version" || name === "-v") {
    print(version);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    note(`there is no command ${name}: see npm run -s kutip -- --help`);
    return 2;
  }
  // That of start lists the settings too.
  if (asksForHelp(args) && name !== "start") {
    print(`npm run -s kutip -- ${command.usage}\n\n${command.help}`);
    return 0;
  }
  return run(name, command, args);
}

async function run(name: string, command: Command, args: string[]): Promise<number> {
  try {
    void env.PORT;
    // stdout belongs to the command's answer; the processes of `start` log there.
    if (name !== "start") provideEnv({ LOG_LEVEL: "silent" });
    const body = await command.load();
    const code = await body(args);
    return typeof code === "number" ? code : 0;
  } catch (error) {
    return explain(error, command);
  }
}

function explain(error: unknown, command: Command): number {
  const misuse = usageProblem(error);
  if (misuse) {
    note(`${misuse}\nusage: npm run -s kutip -- ${command.usage}`);
    return 2;
  }
  if (
    error instanceof EnvError ||
    (error instanceof Error && (error.name === "Refusal" || error.name === "Problem"))
  ) {
    for (const line of error.message.split("\n")) note(line);
    const fields =
      (error as { options?: { errors?: Record<string, string[]> } }).options?.errors ?? {};
    for (const text of Object.values(fields).flat()) note(text);
    return 1;
  }
  if (isDiskFull(error)) {
    note(
      "the disk is full: make room for the data folder (1 GiB is plenty) and start again; nothing is lost",
    );
    return 1;
  }
  console.error(inSources(inspect(error)));
  return 1;
}

function help(): string {
  const width = Math.max(...Object.values(commands).map((command) => command.usage.length)) + 2;
  const lines = Object.values(commands).map((command) =>
    command.usage.length > 40
      ? `  ${command.usage}\n      ${command.help}`
      : `  ${command.usage.padEnd(Math.min(width, 42))}${command.help}`,
  );
  return [
    "npm run -s kutip -- COMMAND",
    "",
    ...lines,
    "",
    "Version: npm run -s kutip -- --version",
    "Settings: npm start -- --help",
  ].join("\n");
}
