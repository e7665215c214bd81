import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { now } from "../../../shared/platform/clock.ts";
import { parseJson, writeWholeFile } from "../../command-line/connection-file.ts";
import { type Progress, restoreSteps } from "./whole-restore.ts";

/** The relay refuses events that were copied 12 hours ago: the switch must come before. */
const freshMs = 11 * 3_600_000;

const State = z.object({
  /** When each step was done. */
  done: z.partialRecord(z.enum(restoreSteps), z.iso.datetime()),
  /** Outputs that the switch has to accept as changed. */
  accepted: z.array(z.string()),
  /** Lines of changes that are repeated. */
  repeated: z.array(z.string()),
});
type State = z.output<typeof State>;

/** How far a restore is, in a file: a second run goes on where the first stopped. */
export class ProgressFile implements Progress {
  readonly again: string;
  readonly #file: string;
  readonly #state: State;

  constructor(file: string, again: string) {
    this.#file = file;
    this.again = again;
    const found = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
    // What is lost of it is done again.
    this.#state = State.safeParse(found).data ?? { done: {}, accepted: [], repeated: [] };
  }

  get accepted(): readonly string[] {
    return this.#state.accepted;
  }

  isDone(step: (typeof restoreSteps)[number]): boolean {
    const { done } = this.#state;
    const at = done[step];
    if (at === undefined) return false;
    if (step !== "restored" || done.switched !== undefined) return true;
    return now().getTime() - Date.parse(at) < freshMs;
  }

  done(step: (typeof restoreSteps)[number]): void {
    this.#state.done[step] = now().toISOString();
    this.#write();
  }

  accept(outputs: readonly string[]): void {
    this.#state.accepted = [...outputs];
    this.#write();
  }

  isRepeated(line: string): boolean {
    return this.#state.repeated.includes(line);
  }

  repeat(line: string): void {
    this.#state.repeated.push(line);
    this.#write();
  }

  #write(): void {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    writeWholeFile(this.#file, `${JSON.stringify(this.#state, null, 2)}\n`);
  }
}
