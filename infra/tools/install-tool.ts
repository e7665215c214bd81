import { spawnSync } from "node:child_process";
import path from "node:path";

/** Installs what `npm ci` leaves out, at its first use. Returns its `node_modules`. */
export function installTool(
  name: "cdk" | "dynamodb-local" | "mcp" | "mcp-client" | "redocly" | "vitepress",
): string {
  const script = path.join(import.meta.dirname, "install");
  const { status: exitStatus } = spawnSync("sh", [script, name], { stdio: ["ignore", 2, 2] });
  if (exitStatus !== 0) throw new Error(`${name} could not be installed. See npm's message above.`);
  return path.resolve(import.meta.dirname, "../../.tools", name, "node_modules");
}
