import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

type Tool =
  | "cdk"
  | "cdk-nag"
  | "dynamodb-local"
  | "lambda-events"
  | "mcp"
  | "mcp-client"
  | "newman"
  | "pico"
  | "readers"
  | "redocly"
  | "swagger-ui"
  | "time-zones"
  | "vitepress";

const script = path.join(import.meta.dirname, "install");

/** Installs what `npm ci` leaves out, at its first use. Returns its `node_modules`. */
export function installTool(name: Tool): string {
  const { status: exitStatus } = spawnSync("sh", [script, name], { stdio: ["ignore", 2, 2] });
  return findModules(name, exitStatus);
}

/** The same, without blocking this process. The signal ends it, with nothing left behind. */
export async function installToolAsync(name: Tool, signal?: AbortSignal): Promise<string> {
  const options: SpawnOptions = { stdio: ["ignore", 2, 2], ...(signal && { signal }) };
  const [exitStatus] = await once(spawn("sh", [script, name], options), "close");
  return findModules(name, exitStatus);
}

const underWay = new Map<Tool, Promise<string>>();

/** Who asks meanwhile waits for the same. After a failure, the next one tries again. */
export function ensureTool(name: Tool): Promise<string> {
  const modules = underWay.get(name) ?? installToolAsync(name);
  underWay.set(name, modules);
  modules.catch(() => underWay.delete(name));
  return modules;
}

function findModules(name: Tool, exitStatus: number | null): string {
  if (exitStatus !== 0) throw new Error(`${name} could not be installed. npm's message says why.`);
  return path.resolve(import.meta.dirname, "../../.tools", name, "node_modules");
}
