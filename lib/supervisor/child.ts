// Loaded into web and worker before anything else: ends them when their supervisor is gone, so that nothing holds the port.
const GRACE_MS = 3_000;

// Forked children must not load this file: their IPC channel leads to us, not to the supervisor.
const loaded = process.execArgv.indexOf("--import");
if (loaded >= 0) process.execArgv.splice(loaded, 2);

if (process.channel) {
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel.unref();
}
