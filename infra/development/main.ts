import { declareCommand, runCommand } from "../command-line/command.ts";
import { flag } from "../command-line/options.ts";
import { findProcess } from "../local/find-process.ts";
import { leaveOutUndici } from "../local/lean-http.ts";
import { connectionFile } from "./connection.ts";
import type { Platform } from "./platform.ts";
import { type LocalSettings, readSettings } from "./settings.ts";

const parentCheckMs = 250;
const oneSignalMs = 500;
const stopTimeoutMs = 8_000;
const startedMs = performance.now();
const calledOff = new AbortController();
let platform: Platform | undefined;
let watching: AsyncDisposable | undefined;
let starting: Promise<Platform> | undefined;
let stoppingSinceMs: number | undefined;

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
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => void stop(signal));
    endWithNpm();
    const settings = readSettings(process.env);
    try {
      await start(settings, options.watch);
    } catch (error) {
      if (stoppingSinceMs === undefined) fail(error);
    }
    // stop() and fail() end the process.
    await new Promise(() => undefined);
  },
});

async function start(settings: LocalSettings, isWatching: boolean): Promise<void> {
  const { startPlatform } = await import("./platform.ts");
  starting = startPlatform({ ...settings, say, onFailure: fail, signal: calledOff.signal });
  platform = await starting;
  if (stoppingSinceMs === undefined) sayHowToCall(platform);
  if (isWatching) {
    const { watchSources } = await import("./watch.ts");
    watching = watchSources({ functions: platform.functions, say });
  }
}

function fail(error: unknown): void {
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

/** A second signal ends the process at once. One Ctrl-C may send two: the terminal's and npm's. */
async function stop(reason: string): Promise<void> {
  if (stoppingSinceMs !== undefined && performance.now() - stoppingSinceMs > oneSignalMs) process.exit(1);
  if (stoppingSinceMs !== undefined) return;
  stoppingSinceMs = performance.now();
  console.log(`\nStopping (${reason})`);
  setTimeout(() => process.exit(1), stopTimeoutMs).unref();
  calledOff.abort();
  // Waits for a running start, which cleans up after itself.
  await watching?.[Symbol.asyncDispose]();
  const started = platform ?? (await starting?.catch(() => undefined));
  await started?.stop();
  console.log("Stopped");
  process.exit(0);
}

/** A killed npm sends no signal; this process would keep port and directory forever. */
function endWithNpm(): void {
  const parent = process.ppid;
  const npm = findNpm(parent);
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (findProcess(npm) !== undefined && process.ppid === parent) return;
    clearInterval(timer);
    void stop("npm has ended");
  }, parentCheckMs);
  timer.unref();
}

/** Returns npm's process id: the parent, or its parent if there is a shell between. */
function findNpm(pid: number, generations = 2): number | undefined {
  const found = generations === 0 ? undefined : findProcess(pid);
  if (found === undefined) return undefined;
  return /^npm\b|\bnpm(-cli\.js)? /.test(found.commandLine) ? pid : findNpm(found.parent, generations - 1);
}

if (import.meta.main) await runCommand(command);
