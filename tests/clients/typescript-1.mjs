// The TypeScript SDK, first generation: typescript-1.mjs PACKAGE URL, the key in KEY.
import { load, obey } from './commands.mjs';

const [, , sdk, url] = process.argv;
const { Client } = load(`${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = load(`${sdk}/client/streamableHttp.js`);

const headers = process.env.KEY ? { Authorization: `Bearer ${process.env.KEY}` } : {};
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await obey(new Client({ name: 'chorus-tests', version: '1' }, { capabilities: {} }), transport);
