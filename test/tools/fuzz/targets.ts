import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { useStore } from "../../../infra/commands/audit/connect-store.ts";
import { startPlatform } from "../../../infra/development/platform.ts";
import { startEngine, useTables } from "../../harness/engine.ts";
import type { GivenProgram } from "../../harness/given-cards.ts";
import type { LiveProgram } from "../../harness/given-live-program.ts";
import { tablesOfTheTemplate } from "../../harness/tables.ts";

/** What requests are sent to, and as whom: two Programs of one Tenant, and one of another. */
export interface Target {
  readonly automatic: GivenProgram;
  readonly manual: GivenProgram;
  readonly victim: GivenProgram;
  /** Resolves when everything that was set in motion has come to rest. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** The functions' handlers in this process, on a DynamoDB engine of their own. */
export async function handlerTarget(): Promise<Target> {
  const engine = await startEngine();
  process.env.LOG_LEVEL = "SILENT";
  await useTables(engine.endpoint, tablesOfTheTemplate(), "fuzz");
  // Imported only now: what it imports reads the environment.
  const { givenProgram } = await import("../../harness/given-cards.ts");
  const settings = { threeDSecure: true };
  return {
    automatic: await givenProgram({ settings }),
    manual: await givenProgram({ settings: { ...settings, issuanceApproval: 1 } }),
    victim: await givenProgram({ settings }),
    settled: async () => undefined,
    stop: engine.stop,
  };
}

/** A whole platform, over mutual TLS. */
export async function liveTarget(): Promise<Target> {
  const directory = mkdtempSync(path.join(tmpdir(), "fuzz-"));
  const platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
  const { connection } = platform;
  useStore(connection.store);
  const { demoProgram, givenLiveProgram, givenLiveTenant } = await import(
    "../../harness/given-live-program.ts"
  );
  const programs = {
    automatic: patient(demoProgram(connection)),
    manual: patient(await givenLiveProgram(connection, { manualIssuance: true })),
    victim: patient(await givenLiveTenant(connection)),
  };
  return {
    ...programs,
    settled: () => platform.settled(),
    stop: async () => {
      await Promise.all(Object.values(programs).map((program) => program.close()));
      await platform.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Repeats requests that fail because DNS is too slow on a busy machine. */
function patient(program: LiveProgram): LiveProgram {
  const call: LiveProgram["call"] = async (route, options) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await program.call(route, options);
      if (answer.body.code !== "IP_NOT_AUTHORIZED" || attempt === 20) return answer;
      await setTimeout(1_000);
    }
  };
  return { ...program, call };
}
