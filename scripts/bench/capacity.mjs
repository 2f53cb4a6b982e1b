import { spawnSync } from "node:child_process";
import path from "node:path";
import { root } from "../stamp.mjs";
import { bundleTools } from "./measure.mjs";

/** Measures what each kind of work takes and prints what an install needs by it; true when it came to its end. */
export async function capacity(options) {
  await bundleTools(root, ["capacity"]);
  const { status } = spawnSync(
    process.execPath,
    [path.join(root, "build/bench/capacity.js"), ...options],
    { cwd: root, stdio: "inherit" },
  );
  return status === 0;
}
