import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeWholeFile } from "./whole-file.ts";

/** A small JSON document that survives `kill -9`: it is replaced as a whole or not at all, and only its owner reads it. */
export class StateFile<State> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
  }

  read(initial: State): State {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8"));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return initial;
      throw new Error(`${this.#path} cannot be read`, { cause: error });
    }
  }

  write(state: State): void {
    writeWholeFile(this.#path, `${JSON.stringify(state)}\n`, 0o600);
  }
}
