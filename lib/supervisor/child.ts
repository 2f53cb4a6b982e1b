// Loaded into web and worker before anything else: ends them when their supervisor is gone, so that nothing holds the port.
const GRACE_MS = 3_000;

if (process.channel) {
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel.unref();
}
