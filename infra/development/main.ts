import { untilStopped } from "../command-line/clean-up.ts";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { flag } from "../command-line/options.ts";
import { findProcess } from "../local/find-process.ts";
import { leaveOutUndici } from "../local/lean-http.ts";
import { connectionFile } from "./connection.ts";
import type { Platform } from "./platform.ts";
import { readSettings } from "./settings.ts";

const parentCheckMs = 1_000;
const stopTimeoutMs = 8_000;
const startedMs = performance.now();

export const command = declareCommand({
  name: "start",
  summary: "runs the platform on this machine, until Ctrl-C",
  options: { watch: flag("replaces functions whose code changes, while the platform runs") },
  notes:
    "Variables: PORT, WEBHOOK_PORT, LOCAL_DIR, LOCAL_DYNAMODB, LOCAL_RECEIVERS, LOCAL_APPROVALS (README.md).",
  run: async ({ options }) => {
    // Lambda's time zone; worker threads inherit it.
    process.env.TZ = "UTC";
    leaveOutUndici();
    const calledOff = new AbortController();
    const { signal } = calledOff;
    const stopped = Promise.race([untilStopped(), untilNpmEnds()]).then((reason) => {
      console.log(`\nStopping (${reason})`);
      setTimeout(() => process.exit(1), stopTimeoutMs).unref();
      calledOff.abort();
    });
    const settings = readSettings(process.env);
    const { startPlatform } = await import("./platform.ts");
    const starting = startPlatform({ ...settings, say, onFailure: fail, signal });
    // A start that is called off cleans up after itself.
    const platform = await starting.catch((error: unknown) => (signal.aborted ? undefined : fail(error)));
    if (platform && !signal.aborted) sayHowToCall(platform);
    const watching = platform && options.watch ? await watch(platform) : undefined;
    await stopped;
    await watching?.[Symbol.asyncDispose]();
    await platform?.stop();
    console.log("Stopped");
  },
});

async function watch({ functions }: Platform): Promise<AsyncDisposable> {
  const { watchSources } = await import("./watch.ts");
  return watchSources({ functions, say });
}

function fail(error: unknown): never {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

function say(line: string): void {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${seconds.padStart(5)} s  ${line}`);
}

/**
 * The printed command reads the key from a file, so that no terminal or shell history contains it.
 */
function sayHowToCall({ connection, directory }: Platform): void {
  const file = connectionFile(directory);
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const key = `"X-API-Key: $(node -p ${quote(`require(${JSON.stringify(file)}).programApiKey`)})"`;
  const { ca, cert, key: certKey, baseUrl } = connection;
  console.log(`
The platform is ready.

  API       ${baseUrl}
  Sandbox   ${connection.sandboxUrl}
  Control   ${connection.controlUrl}  (POST /clock, GET /trace, GET /metrics)
  Console   ${connection.consoleUrl}
  Keys      ${file}

Call it:

  curl --cacert ${quote(ca)} --cert ${quote(cert)} --key ${quote(certKey)} \\
    -H ${key} ${baseUrl}/wallets

npm run demo shows the whole story. Ctrl-C stops the platform; its data stays.
`);
}

/** A killed npm sends no signal; this process would keep port and directory forever. */
function untilNpmEnds(): Promise<string> {
  const parent = process.ppid;
  const npm = findNpm(parent);
  return new Promise((resolve) => {
    if (npm === undefined) return;
    const timer = setInterval(() => {
      if (findProcess(npm) === undefined || process.ppid !== parent) resolve("npm has ended");
    }, parentCheckMs);
    timer.unref();
  });
}

/** Returns npm's process id: the parent, or its parent if there is a shell between. */
function findNpm(pid: number, generations = 2): number | undefined {
  const found = generations === 0 ? undefined : findProcess(pid);
  if (found === undefined) return undefined;
  return /^npm\b|\bnpm(-cli\.js)? /.test(found.commandLine) ? pid : findNpm(found.parent, generations - 1);
}

if (import.meta.main) await runCommand(command);
