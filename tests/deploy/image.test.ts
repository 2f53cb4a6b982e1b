import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { readText } from "./files";

/** The instructions of a Dockerfile, as words: comments dropped, continued lines joined. */
const instructions = readText("Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n\s*/g, " ")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [name = "", ...rest] = line.trim().split(/\s+/);
    return { name, text: rest.join(" ") };
  });
const last = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
const of = (list: typeof instructions, wanted: string) =>
  list.filter(({ name }) => name === wanted).map(({ text }) => text);

/** The files of this repository that a build gets, by the rules of deploy/Dockerfile.dockerignore. */
function sent(): string[] {
  const rules = readText("Dockerfile.dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const pattern = line.replace(/^!/, "");
      const words = pattern
        .replaceAll(".", "\\.")
        .replaceAll("**/", "(.*/)?")
        .replaceAll(/(?<![.)])\*/g, "[^/]*");
      return { keeps: line.startsWith("!"), matches: new RegExp(`^${words}(/.*)?$`) };
    });
  const files = execFileSync("git", ["ls-files", "--cached", "--others"], {
    encoding: "utf8",
    maxBuffer: 512 * 1024 * 1024,
  });
  return files
    .split("\n")
    .filter((file) => file !== "" && !file.startsWith("node_modules/"))
    .filter((file) => rules.findLast(({ matches }) => matches.test(file))?.keeps);
}

describe("the image", () => {
  test("is made of one base that the builder chooses, public by default", () => {
    expect(of(instructions, "ARG")).toEqual(["BASE=debian:bookworm-slim"]);
    for (const text of of(instructions, "FROM")) expect(text).toMatch(/^\$\{BASE\}( AS build)?$/);
  });

  test("downloads packages of Debian and npm alone", () => {
    for (const text of of(instructions, "RUN"))
      expect(text).not.toMatch(/curl|wget|https?:|npx|git /);
    expect(of(instructions, "ADD")).toEqual([]);
    expect(of(instructions, "RUN").join()).toMatch(/npm ci .*prune\.mjs/);
  });

  test("runs as no root, and nothing in it belongs to that user", () => {
    expect(of(last, "USER")).toEqual(["10001:10001"]);
    const place = last.findIndex(({ name }) => name === "USER");
    expect(last.slice(place).filter(({ name }) => name === "COPY" || name === "RUN")).toEqual([]);
    expect(readText("Dockerfile")).not.toMatch(/--chown|chmod/);
  });

  test("declares its health check, its program and the signal that ends it in order", () => {
    expect(of(last, "HEALTHCHECK").join()).toMatch(/CMD \["kutip", "healthy"\]$/);
    expect([of(last, "ENTRYPOINT"), of(last, "CMD"), of(last, "STOPSIGNAL")]).toEqual([
      ['["kutip"]'],
      ['["web"]'],
      ["SIGTERM"],
    ]);
  });

  test("ends without the tools and caches of its build", () => {
    const copied = of(last, "COPY").filter((text) => !text.startsWith("--from=build"));
    expect(copied).toEqual([
      "package.json next.config.mjs LICENSE CHANGELOG.md ./",
      "deploy/kutip deploy/healthy.mjs deploy/",
    ]);
  });
});

describe("a build gets", () => {
  const files = sent();

  test("what the Dockerfile copies", () => {
    const wanted = of(instructions, "COPY")
      .filter((text) => !text.startsWith("--from"))
      .flatMap((text) => text.split(" ").slice(0, -1));
    const absent = wanted.filter(
      (name) => !files.some((file) => file === name || file.startsWith(`${name}/`)),
    );
    expect(absent).toEqual([]);
    expect(wanted).not.toContain(".");
  });

  test("no tests, no settings, no data and no secrets", () => {
    const strange = files.filter((file) =>
      /\.test\.tsx?$|^(tests|e2e|docs|\.data|\.git|\.env)|\/\.env|secrets\//.test(file),
    );
    // The source of Kutip's own handling of secrets.
    expect(strange.filter((file) => !/^(lib|app\/api)\/.*secrets?\b/.test(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(500);
  });
});
