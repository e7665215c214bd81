import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { cleanUp, interrupted } from "../../../infra/command-line/clean-up.ts";
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
  const cleaning = cleanUp();
  const starting = startEngine();
  cleaning.defer(async () => (await starting.catch(() => undefined))?.stop());
  const engine = await starting;
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
    stop: () => cleaning[Symbol.asyncDispose](),
  };
}

/** A whole platform, over mutual TLS. */
export async function liveTarget(): Promise<Target> {
  const cleaning = cleanUp();
  const directory = mkdtempSync(path.join(tmpdir(), "fuzz-"));
  cleaning.defer(() => rmSync(directory, { recursive: true, force: true }));
  const options = { port: 0, directory, dynamodb: "dynoxide", receivers: [] };
  const starting = startPlatform({ ...options, signal: interrupted });
  cleaning.defer(async () => (await starting.catch(() => undefined))?.stop());
  const platform = await starting;
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
      await cleaning[Symbol.asyncDispose]();
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
