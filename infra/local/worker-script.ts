import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const esbuild = fileURLToPath(import.meta.resolve("esbuild/bin/esbuild"));
let script: URL | undefined;

/** The functions' worker as JavaScript: a thread that strips types itself takes 10 MB for that. */
export function functionWorkerScript(): URL {
  script ??= bundle("function-worker.ts");
  return script;
}

/** The source's name appears in stack traces instead of the whole URL. */
function bundle(file: string): URL {
  const options = ["--bundle", "--platform=node", "--format=esm", `--footer:js=//# sourceURL=${file}`];
  const source = execFileSync(esbuild, [file, ...options], { cwd: import.meta.dirname, encoding: "utf8" });
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}
