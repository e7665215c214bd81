import { registerHooks } from "node:module";
import { afterEach, expect, vi } from "vitest";
import type { FunctionName } from "../../infra/constructs/table-permissions.ts";
import { tablePermissions } from "../../infra/constructs/table-permissions.ts";
import { denied, runAs } from "./function-permissions.ts";

/** Runs before each file that calls handlers: each has its function's permissions. */

const mark = "?as-function";
const functions = Object.keys(tablePermissions) as FunctionName[];
const fileUrl = (file: string) => new URL(file, import.meta.url).href;
const files = new Map(functions.map((name) => [fileUrl(`../../functions/${name}/handler.ts`), name]));

/** Where Node imports the handlers: once a process, which keeps what it has imported. */
function wrapHandlers(): void {
  const permissions = JSON.stringify(fileUrl("./function-permissions.ts"));
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isBare = !files.has(resolved.url) || context.parentURL?.endsWith(mark);
      return isBare ? resolved : { ...resolved, url: `${resolved.url}${mark}` };
    },
    load(url, context, next) {
      if (!url.endsWith(mark)) return next(url, context);
      const file = url.slice(0, -mark.length);
      const source = [
        `import { runAs } from ${permissions};`,
        `import { handler as own } from ${JSON.stringify(file)};`,
        `export const handler = (...input) => runAs("${files.get(file)}", () => own(...input));`,
      ];
      return { format: "module", shortCircuit: true, source: source.join("\n") };
    },
  });
}

const ofProcess = globalThis as { areHandlersWrapped?: boolean };
if (!ofProcess.areHandlersWrapped) wrapHandlers();
ofProcess.areHandlersWrapped = true;

// Where Vite runs them, as for the proofs.
for (const name of functions) {
  vi.doMock(`../../functions/${name}/handler.ts`, async (importOriginal) => {
    const { handler } = await importOriginal<{ handler: (...input: unknown[]) => unknown }>();
    return { handler: (...input: unknown[]) => runAs(name, () => handler(...input)) };
  });
}

afterEach(() => expect(denied.splice(0)).toEqual([]));
