import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { backrestConfig, documented } from "./pgbackrest";

test.each([
  ["stanza-create", ["pgbackrest", "--stanza=kutip", "stanza-create"]],
  ["check", ["pgbackrest", "--stanza=kutip", "check"]],
  ["backup", ["pgbackrest", "--stanza=kutip", "--type=full", "backup"]],
] as const)("the operator's page has the command %s that the drill runs", (command, words) => {
  expect(documented(command)).toEqual(words);
});

test("the operator's page restores to one moment, which is one word of the command", () => {
  const words = documented("restore");
  expect(words.filter((word) => word.startsWith("--target="))).toEqual([
    expect.stringMatching(/^--target=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/),
  ]);
  expect(words).toContain("--target-action=promote");
});

test("the drill's configuration has places and a passphrase of its own, and an encrypted repository", () => {
  const text = backrestConfig(readFileSync("deploy/pgbackrest/pgbackrest.conf", "utf8"), {
    data: "/drill/data",
    repository: "/drill/repository",
    passphrase: "words",
  });
  expect(text).not.toMatch(/\/var\/lib|PASSPHRASE/);
  expect(text).toContain("repo1-path=/drill/repository\n");
  expect(text).toContain("repo1-cipher-type=aes-256-cbc\nrepo1-cipher-pass=words\n");
  expect(text).toContain("[kutip]\npg1-path=/drill/data\n");
});
