import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type * as z from "zod";
import type { Argument } from "./command.ts";
import { CannotRun } from "./options.ts";

export const connectionArgument: Argument = {
  name: "connection file",
  about: "default: .local/connection.json, or that of LOCAL_DIR: the platform on this machine",
  is: "optional",
};

/** @throws CannotRun if it does not exist: without a given one, the running local platform's */
export function findConnectionFile(given?: string): string {
  const directory = path.resolve(process.env.LOCAL_DIR || ".local");
  const file = path.resolve(given ?? path.join(directory, "connection.json"));
  if (existsSync(file)) return file;
  throw new CannotRun(
    given === undefined
      ? `No platform runs in ${directory}. Start it with npm start, and run this in another terminal.`
      : `There is no ${file}.`,
  );
}

/** @throws CannotRun for a file that does not fit the schema */
export function readConnectionFile<S extends z.ZodType>(file: string, schema: S): z.output<S> {
  const read = schema.safeParse(parseJson(readFileSync(file, "utf8")));
  if (read.success) return read.data;
  const missing = read.error.issues.map((issue) => issue.path.join(".") || "JSON").join(", ");
  throw new CannotRun(`${file} is not a connection file that this command can use: check ${missing}.`);
}

/** Writes the file whole or not at all. Only its owner can read it. */
export function writeWholeFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  // A half-written file of an earlier run keeps its old mode.
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}

/** Undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
