// Exits with 0 if the local server or worker is ready, else with 1. Used for health checks in containers without curl. Reads
// the port from the same environment variables as the server.
const { ROLE, PORT, WORKER_PORT } = process.env;
const port = (ROLE === 'worker' ? WORKER_PORT : PORT) || 8080;
const response = await fetch(`http://127.0.0.1:${port}/api/health/ready`, {
  signal: AbortSignal.timeout(4_000),
}).catch((error) => ({ ok: false, status: error.cause?.code ?? error.name }));
if (!response.ok) process.stderr.write(`Not ready: ${response.status}\n`);
process.exit(response.ok ? 0 : 1);
