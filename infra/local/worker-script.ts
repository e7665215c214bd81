import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const esbuild = fileURLToPath(import.meta.resolve("esbuild/bin/esbuild"));
/** Its name appears in stack traces instead of the whole URL. */
const source = "function-worker.ts";
const words = [source, "--bundle", "--platform=node", "--format=esm", `--footer:js=//# sourceURL=${source}`];
const options = { cwd: import.meta.dirname, encoding: "utf8" } as const;
let script: URL | undefined;

/** The functions' worker as JavaScript: a thread that strips types itself takes 10 MB for that. */
export function functionWorkerScript(): URL {
  script ??= toUrl(execFileSync(esbuild, words, options));
  return script;
}

/** Makes the script beside other work, before the first function needs it. */
export async function prepareWorkerScript(): Promise<void> {
  const { stdout } = await promisify(execFile)(esbuild, words, options);
  script ??= toUrl(stdout);
}

function toUrl(code: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
