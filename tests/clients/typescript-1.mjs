// The TypeScript SDK, first generation: typescript-1.mjs PACKAGE http|sse URL, the key in KEY.
import { load, obey } from './commands.mjs';

const [, , sdk, transport, url] = process.argv;
const { Client } = load(`${sdk}/client/index.js`);
const headers = process.env.KEY ? { Authorization: `Bearer ${process.env.KEY}` } : {};

function open() {
  const requestInit = { headers };
  if (transport === 'http') {
    const { StreamableHTTPClientTransport } = load(`${sdk}/client/streamableHttp.js`);
    return new StreamableHTTPClientTransport(new URL(url), { requestInit });
  }
  const { SSEClientTransport } = load(`${sdk}/client/sse.js`);
  // Before 1.10 the stream itself is asked for without these headers.
  const withHeaders = { fetch: (from, init) => fetch(from, { ...init, headers: { ...init.headers, ...headers } }) };
  return new SSEClientTransport(new URL(url), sdk === 'sdk-1-9' ? { requestInit, eventSourceInit: withHeaders } : { requestInit });
}

await obey(new Client({ name: 'chorus-tests', version: '1' }, { capabilities: {} }), open());
