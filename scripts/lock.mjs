import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** Waits until no living process holds the file, takes it, and gives the function that lets it go. */
export async function heldLock(file, onWait) {
  let told = false;
  while (!take(file)) {
    if (!told) onWait?.();
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const release = () => rmSync(file, { force: true });
  process.once("exit", release);
  return release;
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (!alive(Number(readFileSync(file, "utf8")))) rmSync(file, { force: true });
  return false;
}

function alive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
