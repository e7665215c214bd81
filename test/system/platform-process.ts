import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Connection, readConnection } from "../../infra/development/connection.ts";
import packageJson from "../../package.json" with { type: "json" };

const main = new URL("../../infra/development/main.ts", import.meta.url).pathname;
/** How `npm start` sizes V8. */
const flags = packageJson.scripts.start.match(/--\S+/g) ?? [];

export interface PlatformProcess {
  child: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  connection(): Connection;
  /** Ends it in some way and waits. Gives the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

const running = new Set<ChildProcess>();

/** Starts the platform as `npm start` does, on a free port. It need not become ready. */
export function spawnPlatform(directory: string, variables: Record<string, string> = {}): PlatformProcess {
  const child = spawn(process.execPath, [...flags, main], {
    env: { ...process.env, PORT: "0", LOCAL_DIR: directory, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  child.once("exit", () => running.delete(child));
  return {
    child,
    output: () => output,
    connection: () => {
      const connection = readConnection(directory);
      if (connection === undefined) throw new Error(`The platform has no connection:\n${output}`);
      return connection;
    },
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, "exit");
        child.kill(signal);
        await exit;
      }
      return child.exitCode ?? child.signalCode ?? "";
    },
  };
}

/** Waits until it says something. Errors: it ends before, with what it said instead. */
export async function said(platform: PlatformProcess, text: string): Promise<void> {
  const { child } = platform;
  while (!platform.output().includes(text)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`It ended: ${platform.output()}`);
    await Promise.race([once(child, "exit"), child.stdout && once(child.stdout, "data")]);
  }
}

export async function startedPlatform(
  directory: string,
  variables?: Record<string, string>,
): Promise<PlatformProcess> {
  const platform = spawnPlatform(directory, variables);
  await said(platform, "The platform is ready.");
  return platform;
}

/** Lets every platform that still runs end cleanly: a killed one would leave its engine behind. */
export async function endRunning(): Promise<void> {
  // One may start while others end.
  while (running.size > 0) {
    const ends = [...running].map((child) => {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      return exit;
    });
    await Promise.all(ends);
  }
}
