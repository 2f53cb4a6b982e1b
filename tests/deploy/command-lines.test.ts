import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Others on a machine see the arguments of commands. A setting before a command, a builtin of the shell and a text for stdin are none.
const SECRET =
  /--from-literal|--patch[ =]|password '|PASSWORD-OF|\$\{?[A-Z_]*(?:URL|PASSWORD|SECRET|KEY)\b|:\/\/[^\s/@:]+:[^\s@]+@/;
const NO_ARGUMENT = /^([A-Z_]+=\S+ *)+|^echo [^|]*/;

const commandsOf = (page: string): string[] =>
  [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) =>
    block
      .replace(/<<'END'\n[\s\S]*?^ *END$/gm, "")
      .split("\n")
      .map((line) => line.trim().replace(NO_ARGUMENT, "")),
  );

test("no page has a command with a secret among its arguments", () => {
  const pages = globSync("docs/**/*.md").map((file) => readFileSync(file, "utf8"));
  const commands = pages.flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(100);
  expect(commands.filter((line) => SECRET.test(line) || /^sed .*\$\(/.test(line))).toEqual([]);
});
