import { orSay, sayAtInterrupt } from "../../command-line/clean-up.ts";

/** What a restore does to an environment. Each step can be repeated. */
export interface Restoration {
  /** Changes nothing. Throws an Error for a second that cannot be restored. */
  checkTime(): Promise<void>;
  stopTraffic(): Promise<void>;
  /** With a stream, expiry and events to be sent again. Nothing uses the tables yet. */
  restoreTables(): Promise<void>;
  /** Whether the restored tables' books are in order. */
  audit(): Promise<boolean>;
  /** Lets all functions use the restored tables. */
  switchOver(): Promise<void>;
  /** Closes again what was closed since that second. Returns what a person has to decide. */
  repeatChanges(): Promise<readonly string[]>;
  /** Mends each Program's lists. Returns the Programs whose lists still differ. */
  mendLists(): Promise<readonly string[]>;
  admitTraffic(): Promise<void>;
  /** Deploys the environment as it is meant to be, and runs the smoke test. */
  check(): Promise<void>;
}

export const restoreSteps = [
  "restored",
  "audited",
  "switched",
  "repeated",
  "listed",
  "admitted",
  "checked",
] as const;
type RestoreStep = (typeof restoreSteps)[number];

/** Which steps are done. It outlives the process. */
export interface Progress {
  readonly again: string;
  isDone(step: RestoreStep): boolean;
  done(step: RestoreStep): void;
}

interface Decisions {
  /** The audit's faults have been looked at. */
  readonly acceptsFaults: boolean;
  /** What the command could not repeat itself is repeated or not wanted. */
  readonly hasRepeated: boolean;
}

type Say = (line: string) => void;

/** A person has to decide before it goes on. */
export class Undecided extends Error {
  override readonly name = "Undecided";
}

/** How it is now, for people. */
interface Traffic {
  state: string;
}

/**
 * Restores an environment from the first step that is not done. Traffic stays stopped until all
 * books, revocations and lists are in order, also after a failure.
 */
export async function restoreWhole(steps: Restoration, progress: Progress, decisions: Decisions, say: Say) {
  const isAdmitted = progress.isDone("admitted");
  const traffic = { state: isAdmitted ? "Traffic is let in." : "This run has not changed anything." };
  const describeHalf = () => `${traffic.state} To go on from here: ${progress.again}`;
  if (!progress.isDone("restored")) {
    await using _ = sayAtInterrupt(describeHalf);
    await steps.checkTime();
  }
  await orSay(describeHalf, async () => {
    if (!isAdmitted) {
      say("1 of 8: traffic is stopped, which takes a minute");
      traffic.state = "Some traffic is stopped.";
      await steps.stopTraffic();
      traffic.state = "Traffic is stopped.";
    }
    await takeSteps({ ...decisions, steps, progress, say, traffic });
  });
}

interface Taken extends Decisions {
  readonly steps: Restoration;
  readonly progress: Progress;
  readonly say: Say;
  readonly traffic: Traffic;
}

async function takeSteps({ steps, progress, say, traffic, ...decisions }: Taken): Promise<void> {
  const { acceptsFaults, hasRepeated } = decisions;
  const once = async (step: RestoreStep, title: string, run: () => Promise<void>) => {
    if (progress.isDone(step)) return say(`${title}: already done`);
    say(title);
    await run();
    progress.done(step);
  };
  await once(
    "restored",
    "2 of 8: both tables are restored, minutes to hours by their size",
    steps.restoreTables,
  );
  await once(
    "audited",
    "3 of 8: the books are audited, about a minute for each million records",
    async () => {
      if ((await steps.audit()) || acceptsFaults) return;
      throw new Undecided(
        "The restored books have faults. If the current tables do not have them, this second fell within a transaction: " +
          "restore to another one, by another --to. If you have looked at them: --accept-faults.",
      );
    },
  );
  await once(
    "switched",
    "4 of 8: functions take the restored tables, by a deployment of 15 minutes or more",
    steps.switchOver,
  );
  await once("repeated", "5 of 8: access that was taken away since is taken away again", async () => {
    const open = hasRepeated ? [] : await steps.repeatChanges();
    if (open.length === 0) return;
    throw new Undecided(
      `Decide about these, in their order, and repeat the command with --changes-repeated:\n${open.map((line) => `  ${line}`).join("\n")}`,
    );
  });
  await once("listed", "6 of 8: lists are compared with their records, and mended", async () => {
    const differing = await steps.mendLists();
    if (differing.length > 0) throw new Error(`Lists of ${differing.join(", ")} still differ.`);
  });
  await once("admitted", "7 of 8: traffic is let in", async () => {
    traffic.state = "Some traffic is let in.";
    await steps.admitTraffic();
    traffic.state = "Traffic is let in.";
  });
  await once("checked", "8 of 8: a deployment as it is meant to be, and the smoke test", steps.check);
}

/** Lets traffic in again without a restore. */
export async function abandonRestore(steps: Pick<Restoration, "admitTraffic">, progress: Progress) {
  if (progress.isDone("switched"))
    throw new Error(`The functions use the restored tables already. To go on: ${progress.again}`);
  const again = `Some traffic is let in. To go on from here: ${progress.again} --abandon`;
  await orSay(() => again, steps.admitTraffic);
}
