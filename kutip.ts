import { env, provideEnv } from "@/lib/env";
import { version } from "@/lib/kernel/version";
import { type Command, commands } from "@/lib/operator/commands";
import { explain } from "@/lib/operator/explain";
import { asksForHelp, note, print, usageProblem } from "@/lib/operator/usage";

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
    const misuse = usageProblem(error);
    if (misuse === null) return explain(error);
    note(`${misuse}\nusage: npm run -s kutip -- ${command.usage}`);
    return 2;
  }
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
