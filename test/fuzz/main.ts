/**
 * `npm run fuzz -- [requests] [seed]`: starts a platform of its own, sends it 20,000 requests over mutual TLS that are made from the contract (valid,
 * damaged, hostile), and then proves the books. Ends with 1 where anything is wrong; the seed repeats the run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { useStore } from "../../audit/store.ts";
import { startPlatform } from "../../infra/local/platform.ts";
import { demoProgram, type LiveProgram, newLiveProgram, newLiveTenant } from "../harness/live-program.ts";

const [requests = 20_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(path.join(tmpdir(), "fuzz-"));
const platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
try {
  const { connection } = platform;
  useStore(connection.store);
  // Imported only now: what they import reads the environment.
  const [{ fuzz }, { proveBooks }] = await Promise.all([import("./fuzz.ts"), import("./prove-books.ts")]);
  const programs = {
    automatic: patient(demoProgram(connection)),
    manual: patient(await newLiveProgram(connection, { manualIssuance: true })),
    victim: patient(await newLiveTenant(connection)),
  };
  console.log(`${requests} requests, seed ${seed}`);
  const started = performance.now();
  const { statuses, endpoints, faults } = await fuzz({
    attackers: programs,
    victim: programs.victim,
    requests,
    seed,
    concurrency: 12,
    onProgress: (sent) =>
      console.log(`${((performance.now() - started) / 1_000).toFixed(0)} s: ${sent} sent`),
  });
  await platform.settled();
  await Promise.all(Object.values(programs).map((program) => program.close()));
  const books = await proveBooks();
  const counts = [...statuses].toSorted(([left], [right]) => left - right);
  console.log(`${endpoints} endpoints; ${counts.map(([status, count]) => `${status}: ${count}`).join(", ")}`);
  const all = [...faults, ...books.faults];
  for (const fault of all.slice(0, 50)) console.log(`! ${fault}`);
  console.log(
    all.length === 0
      ? `No faults; ${books.entries} journal entries prove the balances.`
      : `Faults: ${all.length}.`,
  );
  process.exitCode = all.length === 0 ? 0 : 1;
} finally {
  await platform.stop();
  rmSync(directory, { recursive: true });
}

/** On a machine that has too much to do, DNS does not answer in time, and nobody gets in for a few seconds: that is no fault of a request. */
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
