import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";

/** One shell for a whole page, as a reader has it. */
export class Shell {
  readonly #child: ChildProcess;
  readonly #directory: string;
  #printed = "";
  #complaint = "";

  constructor(directory: string, variables: Readonly<Record<string, string>>) {
    this.#directory = directory;
    const env = { ...process.env, ...variables };
    this.#child = spawn("bash", ["-euo", "pipefail"], { cwd: directory, env, detached: true });
    this.#child.stdout?.on("data", (chunk) => {
      this.#printed += chunk;
    });
    this.#child.stderr?.on("data", (chunk) => {
      this.#complaint += chunk;
    });
  }

  /** Returns what the block printed. @throws Error if one of its commands fails */
  async run(block: string): Promise<string> {
    const file = path.join(this.#directory, "block.sh");
    writeFileSync(file, block);
    const end = "=== end of a block ===";
    this.#printed = "";
    this.#child.stdin?.write(`source ${file} < /dev/null\necho; echo '${end}'\n`);
    while (!this.#printed.includes(end)) {
      if (this.#child.exitCode !== null)
        throw new Error(`${block}\nended the shell:\n${this.#printed}${this.#complaint}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return this.#printed.slice(0, this.#printed.indexOf(end));
  }

  /** With what its commands have left running. */
  stop(): void {
    if (this.#child.pid === undefined || this.#child.exitCode !== null) return;
    process.kill(-this.#child.pid, "SIGTERM");
  }
}
