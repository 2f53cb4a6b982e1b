import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { processStat } from "./process.mjs";

const GUARD_STALE_MS = 10_000;

/**
 * Waits until no living process holds the file, then takes it. `onWait` is called once with the file. Returns `release`, and
 * `share` for a child that must end before another may take the lock, even when this process is killed.
 */
export async function heldLock(file, onWait) {
  const own = holder(process.pid);
  let content = own;
  let waited = false;
  while (!take(file, content)) {
    if (!waited) onWait?.(file);
    waited = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const release = () => {
    process.off("exit", release);
    if (read(file) === content) rmSync(file, { force: true });
  };
  process.on("exit", release);
  const share = (pid) => {
    content = pid ? `${own}\n${holder(pid)}` : own;
    const beside = `${file}.${process.pid}`;
    writeFileSync(beside, content);
    renameSync(beside, file);
  };
  return { release, share };
}

// A process number is used again, in a container at each start: the start time tells two processes apart.
function holder(pid) {
  return `${pid} ${processStat(pid)?.startedAt ?? ""}`.trim();
}

function take(file, content) {
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, content);
  try {
    // A link appears with its content, so no process reads an empty lock.
    linkSync(beside, file);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  } finally {
    rmSync(beside, { force: true });
  }
  const found = read(file);
  if (found !== null && !found.split("\n").some(isHeldByAnother)) removeStale(file, found);
  return false;
}

// One at a time, and only the lock that was seen: otherwise a lock that was just taken could be removed.
function removeStale(file, content) {
  const guard = `${file}.stale`;
  try {
    mkdirSync(guard);
  } catch {
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > GUARD_STALE_MS) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    if (read(file) === content) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function isHeldByAnother(line) {
  const [pid, startedAt] = line.split(" ");
  if (!Number(pid) || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code !== "EPERM") return false;
  }
  const stat = processStat(pid);
  if (!stat) return true;
  if (stat.state === "Z" || stat.state === "X") return false;
  return startedAt === undefined || stat.startedAt === startedAt;
}
