import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Returns a running process; undefined if there is none, or only a zombie. */
export function findProcess(pid: number): { parent: number; commandLine: string } | undefined {
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  try {
    if (process.platform === "linux") {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return state === "Z" ? undefined : { parent: Number(parent), commandLine };
    }
    const line = execFileSync("ps", ["-o", "stat=,ppid=,args=", "-p", String(pid)])
      .toString()
      .trim();
    const [state = "", parent, ...command] = line.split(/\s+/);
    return state.startsWith("Z") ? undefined : { parent: Number(parent), commandLine: command.join(" ") };
  } catch {
    return undefined;
  }
}
