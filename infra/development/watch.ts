import { once } from "node:events";
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { FunctionRuntime } from "../local/start-functions.ts";

const thisProject = resolve(import.meta.dirname, "../..");
const thread = new URL("../local-assembly/rebuild-bundles.ts", import.meta.url);
const watched = ["functions", "shared", "infra"];
/** An editor writes a file in steps, and a switch of branches many files. */
const quietMs = 80;

interface WatchOptions {
  readonly functions: Pick<FunctionRuntime, "codeDirectories" | "replaceCode">;
  say(line: string): void;
  readonly project?: string;
}

/**
 * Replaces each function whose code changes. What runs ends with the old code; the state stays.
 * Code that does not compile replaces nothing.
 */
export function watchSources({ functions, say, project = thisProject }: WatchOptions): AsyncDisposable {
  const builder = new Worker(thread, { workerData: project, execArgv: [] });
  const replace = async (): Promise<void> => {
    const startedMs = performance.now();
    const directories = functions.codeDirectories();
    builder.postMessage(new Set(directories.values()));
    const [answer] = await once(builder, "message");
    if ("error" in answer) return say(`${answer.error}. The old code goes on.`);
    const replaced = new Set<string>();
    for (const [name, directory] of directories) {
      const next: string | undefined = answer.replaced.get(directory);
      if (next === undefined) continue;
      functions.replaceCode(name, next);
      replaced.add(basename(next));
    }
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    if (replaced.size > 0) say(`Replaced ${[...replaced].join(", ")} in ${seconds} s`);
  };
  const changed = new Set<string>();
  const take = async (): Promise<void> => {
    await delay(quietMs);
    const files = [...changed];
    changed.clear();
    const ofPlatform = files.find((file) => file.startsWith("infra/"));
    if (ofPlatform !== undefined)
      say(`${ofPlatform} has changed: press Ctrl-C, and run npm start again. The data stays.`);
    if (files.some((file) => !file.startsWith("infra/"))) await replace();
  };
  // What was changed while the platform started, too.
  let running = replace();
  const note = (file: string): void => {
    if (!/\.(ts|json)$/.test(file) || file.includes("/test/")) return;
    if (changed.size === 0) running = running.then(take);
    changed.add(relative(project, file));
  };
  const trees = watched.map((folder) => watchTree(join(project, folder), note));
  return {
    [Symbol.asyncDispose]: async () => {
      for (const tree of trees) tree[Symbol.dispose]();
      await running;
      const ended = once(builder, "exit");
      builder.postMessage("end");
      await ended;
    },
  };
}

/**
 * A watcher for each folder: Node's recursive one loses a file that an editor replaces by another
 * of its name.
 */
function watchTree(folder: string, note: (file: string) => void): Disposable {
  const watchers = new Map<string, FSWatcher>();
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const add = (directory: string): void => {
    const watcher = watch(directory, (_event, name) => {
      const path = join(directory, name ?? "");
      note(path);
      if (!isFolder(path) || watchers.has(path)) return;
      add(path);
      // They came with it.
      for (const file of readdirSync(path, { recursive: true, encoding: "utf8" })) note(join(path, file));
    });
    watchers.set(directory, watcher);
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (isFolder(path)) add(path);
    }
  };
  add(folder);
  return {
    [Symbol.dispose]: () => {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
