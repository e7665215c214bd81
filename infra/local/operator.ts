/** `npm run operator -- <command> [input as JSON]`: platform administration of the platform that runs on this machine. */
import { readConnection } from "./connection.ts";
import { readSettings } from "./settings.ts";

const usage = `Usage: npm run operator -- <command> [input]

  npm run operator -- create-tenant '{"name":"A Tenant"}'
  npm run operator -- revoke-api-key '{"tenantId":"tnt_…","apiUserId":"apu_…"}'

The answer is one line of JSON. Each command and its input stand in shared/contract/operator.ts.`;

try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function run([command, text = "{}", ...more]: string[]): Promise<string> {
  if (command === undefined || more.length > 0) throw new Error(usage);
  const input = parse(text);
  const { directory } = readSettings(process.env);
  const connection = readConnection(directory);
  if (!connection) throw new Error(`No platform runs in ${directory}. Start it with npm start.`);
  const response = await fetch(connection.operatorUrl, {
    method: "POST",
    body: JSON.stringify({ command, input }),
  }).catch(() => {
    throw new Error(`The platform of ${directory} does not answer. Start it with npm start.`);
  });
  const answer = await response.text();
  if (!response.ok || response.headers.has("x-amz-function-error")) throw new Error(messageOf(answer));
  return answer;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The input is not JSON: ${text}\n\n${usage}`);
  }
}

function messageOf(answer: string): string {
  const failure = JSON.parse(answer) as { errorMessage?: string; message?: string };
  return failure.errorMessage ?? failure.message ?? answer;
}
