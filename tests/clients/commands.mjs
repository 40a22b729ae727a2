// What a test says to a client, a line of JSON each way:
//
//   {"list": true}                        {"tools": [NAME, ...]}
//   {"call": NAME, "arguments": {...}}    {"result": {...}} or {"error": {"code": ..., "message": ...}}
//
// The client says {"connected": true} first, or {"failed": MESSAGE} and ends with 1. At the end of the input it closes.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Loads a module of one of the installed packages. */
export const load = createRequire(join(process.env.CHORUS_TEST_CLIENTS, 'package.json'));

const say = (value) => process.stdout.write(JSON.stringify(value) + '\n');

async function everyTool(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { tools };
}

async function call(client, name, args) {
  try {
    return { result: await client.callTool({ name, arguments: args }) };
  } catch (error) {
    return { error: { code: error.code ?? null, message: String(error) } };
  }
}

/** Connects, and then does what it is told. */
export async function obey(client, transport) {
  try {
    await client.connect(transport);
  } catch (error) {
    say({ failed: String(error) });
    process.exit(1);
  }
  say({ connected: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    say(await (command.list ? everyTool(client) : call(client, command.call, command.arguments)));
  }
  await client.close();
}
