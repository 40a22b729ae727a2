// The TypeScript SDK, second generation: typescript-2.mjs legacy|auto|REVISION URL, the key in KEY.
import { load, obey } from './commands.mjs';

const [, , mode, url] = process.argv;
const { Client, StreamableHTTPClientTransport } = load('@modelcontextprotocol/client');

const headers = process.env.KEY ? { Authorization: `Bearer ${process.env.KEY}` } : {};
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const versionNegotiation = { mode: mode === 'legacy' || mode === 'auto' ? mode : { pin: mode } };
await obey(new Client({ name: 'chorus-tests', version: '1' }, { versionNegotiation }), transport);
