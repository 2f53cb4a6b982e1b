import { type ChildProcess, spawn } from "node:child_process";
import type { Settings } from "./engine";

// What `read_only: true` and a tmpfs on /tmp do, in a mount namespace of its own: buildah's chroot cannot enforce it.
const SCRIPT = `
set -e
mount --bind "$ROOT" "$ROOT"
mount -o remount,bind,ro "$ROOT"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
mount -t proc proc "$ROOT/proc"
exec chroot --userspec=10001:10001 "$ROOT" "$@"
`;

/** Starts a program on this root file system, which nothing can write to but /tmp, as the image's user. */
export function startReadOnly(
  root: string,
  settings: Settings,
  ...command: string[]
): ChildProcess {
  return spawn("unshare", ["--mount", "sh", "-c", SCRIPT, "sh", ...command], {
    env: {
      PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      ROOT: root,
      NODE_ENV: "production",
      ...settings,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
}
