import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Engine } from "./engine";

const MIRROR = "http://deb.debian.org/debian";
const OWN_CERTIFICATES = "/usr/local/share/ca-certificates";
const BASE = "localhost/debian";
export const IMAGE = "localhost/kutip";

/** Makes a base image of Debian's packages alone: no registry of images is asked. */
export async function makeBase(engine: Engine, folder: string): Promise<void> {
  const root = path.join(folder, "base");
  const { status, stdout, stderr } = spawnSync(
    "debootstrap",
    ["--variant=minbase", "bookworm", root, MIRROR],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`debootstrap failed:\n${stdout}\n${stderr}`);
  // As the public images have it: a build that is interrupted is thrown away.
  writeFileSync(path.join(root, "etc/dpkg/dpkg.cfg.d/unsafe-io"), "force-unsafe-io\n");
  // A network that inspects its traffic has certificates of its own, which this machine knows.
  if (existsSync(OWN_CERTIFICATES))
    cpSync(OWN_CERTIFICATES, path.join(root, OWN_CERTIFICATES), { recursive: true });
  const context = path.join(folder, "context");
  mkdirSync(context);
  execFileSync("tar", ["-C", root, "-cf", path.join(context, "base.tar"), "."]);
  writeFileSync(path.join(context, "Dockerfile"), "FROM scratch\nADD base.tar /\n");
  await bud(engine, folder, ["--tag", BASE, context]);
}

/** Builds the image of deploy/Dockerfile from this repository; returns its size in bytes. */
export async function buildImage(engine: Engine, folder: string): Promise<number> {
  await bud(engine, folder, [
    ...["--build-arg", `BASE=${BASE}`, "--file", "deploy/Dockerfile"],
    ...["--ignorefile", "deploy/Dockerfile.dockerignore", "--tag", IMAGE, "."],
  ]);
  const root = (await engine.call("from", "--name", "size", IMAGE)).trim();
  const mount = (await engine.call("mount", root)).trim();
  const [kilobytes = "0"] = execFileSync("du", ["-skx", mount], { encoding: "utf8" }).split("\t");
  await engine.call("rm", root);
  return Number(kilobytes) * 1024;
}

// Only Docker's format has the health check.
const bud = (engine: Engine, folder: string, args: string[]) =>
  engine.call(
    ...["bud", "--isolation", "chroot", "--format", "docker"],
    ...["--signature-policy", path.join(folder, "engine/policy.json"), ...args],
  );
