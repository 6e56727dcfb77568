// Ends with 0 while the server of this machine, or of this container, is ready for requests or work; for health checks
// where there is no curl. It asks with the settings that the server runs on.
const { ROLE, PORT, WORKER_PORT } = process.env;
const port = (ROLE === 'worker' ? WORKER_PORT : PORT) || 8080;
const response = await fetch(`http://127.0.0.1:${port}/api/health/ready`, {
  signal: AbortSignal.timeout(4_000),
}).catch((error) => ({ ok: false, status: error.cause?.code ?? error.name }));
if (!response.ok) process.stderr.write(`Not ready: ${response.status}\n`);
process.exit(response.ok ? 0 : 1);
