import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

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
    const next = `${this.#path}.next`;
    writeFileSync(next, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(next, this.#path);
  }
}
