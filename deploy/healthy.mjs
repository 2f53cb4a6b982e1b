// The health check of a container: ends with 0 when its process responds. A web process listens on PORT, a worker on METRICS_ADDRESS.
// The database is not asked: a restart would not bring it back.
const { PORT = "3000", METRICS_ADDRESS = "" } = process.env;
const metrics = /:(\d+)$/.exec(METRICS_ADDRESS)?.[1];
const ports = [PORT, ...(metrics ? [metrics] : [])];

const responds = (port) =>
  fetch(`http://127.0.0.1:${port}/api/health/live`, { signal: AbortSignal.timeout(3_000) }).then(
    ({ ok }) => ok || Promise.reject(new Error(`port ${port} is not well`)),
  );

try {
  await Promise.any(ports.map(responds));
} catch {
  console.error(`nothing responds on port ${ports.join(" or ")}`);
  process.exitCode = 1;
}
