import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ProgressFile } from "../../infra/commands/restore/progress-file.ts";
import {
  abandonRestore,
  type Restoration,
  restoreWhole,
} from "../../infra/commands/restore/whole-restore.ts";

const inOrder = [
  "stopTraffic",
  "restoreTables",
  "audit",
  "switchOver",
  "repeatChanges",
  "mendLists",
  "admitTraffic",
  "check",
] as const;
type Step = (typeof inOrder)[number];
const none = { acceptsFaults: false, hasRepeated: false };

let directory: string;
let calls: Step[];
let failing: Step | undefined;
let [isPossible, isInOrder]: [boolean, boolean] = [true, true];
let [open, differing]: [string[], string[]] = [[], []];

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "restore-"));
  [calls, failing, isPossible, isInOrder, open, differing] = [[], undefined, true, true, [], []];
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

const call = async (step: Step) => {
  calls.push(step);
  if (failing === step) throw new Error(`${step} fails.`);
};
const steps: Restoration = {
  checkTime: async () => {
    if (!isPossible) throw new Error("The time must be between others.");
  },
  stopTraffic: () => call("stopTraffic"),
  restoreTables: () => call("restoreTables"),
  audit: () => call("audit").then(() => isInOrder),
  switchOver: () => call("switchOver"),
  repeatChanges: () => call("repeatChanges").then(() => open),
  mendLists: () => call("mendLists").then(() => differing),
  admitTraffic: () => call("admitTraffic"),
  check: () => call("check"),
};
const file = () => path.join(directory, "staging/restore.json");
/** As a process begins: it knows what the file says. */
const progress = () => new ProgressFile(file(), "npm run restore");
const run = (decisions = none) => restoreWhole(steps, progress(), decisions, () => {});

function trafficAt(step: Step): string {
  if (step === "stopTraffic") return "Some traffic is stopped.";
  if (step === "admitTraffic") return "Some traffic is let in.";
  return step === "check" ? "Traffic is let in." : "Traffic is stopped.";
}

const hanging = path.resolve("test/infra/hanging-restore.ts");

/** Signals the step's program and the restore, or the restore alone. */
async function interrupt(step: Step | "checkTime", signal: "SIGINT" | "SIGTERM") {
  const child = spawn(process.execPath, [hanging, file(), step], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const saying = text(child.stderr);
  const closed = once(child, "close");
  let shown = "";
  for await (const chunk of child.stdout) {
    shown += chunk;
    const [, pid] = /^hangs with (\d+)$/m.exec(shown) ?? [];
    if (pid === undefined) continue;
    // Ctrl-C signals both, and the program may have ended before the restore learns of it.
    if (signal === "SIGINT") process.kill(Number(pid), signal);
    if (signal === "SIGINT") await delay(50);
    process.kill(Number(child.pid), signal);
    break;
  }
  const [exitCode] = await closed;
  const [, pid = ""] = /^hangs with (\d+)$/m.exec(shown) ?? [];
  return { exitCode, said: await saying, isGone: !existsSync(`/proc/${pid}`) };
}

describe("Ctrl-C and kill within a restore", () => {
  test.each(inOrder.flatMap((step) => [[step, "SIGINT", 130] as const, [step, "SIGTERM", 143] as const]))(
    "at %s by %s end with %i, say how traffic is and how to go on, and leave no child",
    async (step, signal, code) => {
      const { exitCode, said, isGone } = await interrupt(step, signal);
      expect({ exitCode, isGone }).toEqual({ exitCode: code, isGone: true });
      expect(said).toBe(
        `Cleaning up (${signal})\n${trafficAt(step)} To go on from here: npm run restore -- staging\n`,
      );
      await run();
      expect(calls.slice(step === "check" || step === "stopTraffic" ? 0 : 1)).toEqual(
        inOrder.slice(inOrder.indexOf(step)),
      );
    },
  );

  test("before its first step has nothing to say but that", async () => {
    const { said } = await interrupt("checkTime", "SIGTERM");
    expect(said).toContain("This run has not changed anything. To go on from here: npm run restore");
  });
});

describe("a restore", () => {
  test("goes step by step, and a run after its end does nothing", async () => {
    await run();
    expect(calls).toEqual(inOrder);
    calls = [];
    await run();
    expect(calls).toEqual([]);
  });

  test.each(inOrder)("goes on where %s failed, with traffic stopped until all is in order", async (step) => {
    failing = step;
    const isAdmitted = step === "check";
    await expect(run()).rejects.toThrow(
      `${step} fails.\n${trafficAt(step)} To go on from here: npm run restore`,
    );
    expect(calls).toEqual(inOrder.slice(0, inOrder.indexOf(step) + 1));
    [calls, failing] = [[], undefined];
    await run();
    const rest = inOrder.slice(inOrder.indexOf(step));
    const isFirst = step === "stopTraffic" || isAdmitted;
    expect(calls).toEqual(isFirst ? rest : ["stopTraffic", ...rest]);
  });

  test("stops no traffic for a time that cannot be restored", async () => {
    isPossible = false;
    await expect(run()).rejects.toThrow(/^The time must be between others\.$/);
    expect(calls).toEqual([]);
  });

  test("uses books with faults only after somebody has looked at them", async () => {
    isInOrder = false;
    await expect(run()).rejects.toThrow(/books have faults.*--accept-faults/);
    expect(calls).not.toContain("switchOver");
    await run({ ...none, acceptsFaults: true });
    expect(calls.at(-1)).toBe("check");
  });

  test("lets nobody in before what was revoked is decided about", async () => {
    open = ["npm run authority -- --environment staging remove ca_1 --even-in-use"];
    await expect(run()).rejects.toThrow(/--changes-repeated:\n {2}npm run authority .*remove ca_1/);
    await expect(run()).rejects.toThrow("remove ca_1");
    expect(calls).not.toContain("admitTraffic");
    await run({ ...none, hasRepeated: true });
    expect(calls.slice(-3)).toEqual(["mendLists", "admitTraffic", "check"]);
  });

  test("lets nobody in with lists that differ", async () => {
    differing = ["prg_1"];
    await expect(run()).rejects.toThrow("Lists of prg_1 still differ.");
    expect(calls).not.toContain("admitTraffic");
  });

  test("copies events anew that would be too old for the relay, unless the functions use the tables", async () => {
    failing = "switchOver";
    await expect(run()).rejects.toThrow();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 3_600_000 });
    [calls, failing] = [[], "repeatChanges"];
    await expect(run()).rejects.toThrow();
    expect(calls).toEqual(["stopTraffic", "restoreTables", "switchOver", "repeatChanges"]);
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    [calls, failing] = [[], undefined];
    await run();
    expect(calls).not.toContain("restoreTables");
  });

  test("begins anew where the file of its progress is torn", async () => {
    await run();
    writeFileSync(file(), '{"done":{"restored":"20');
    calls = [];
    await run();
    expect(calls).toEqual(inOrder);
  });

  test("can be abandoned until the functions use the tables", async () => {
    failing = "switchOver";
    await expect(run()).rejects.toThrow();
    await abandonRestore(steps, progress());
    expect(calls.at(-1)).toBe("admitTraffic");
    [calls, failing] = [[], "mendLists"];
    await expect(run()).rejects.toThrow();
    await expect(abandonRestore(steps, progress())).rejects.toThrow("use the restored tables already");
    expect(calls).not.toContain("admitTraffic");
  });
});
