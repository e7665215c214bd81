/**
 * `npm run fuzz -- [--live] [requests] [seed]`: fuzzes every endpoint in this process, or with
 * `--live` a whole platform, then proves the books. A seed repeats a run.
 */
import { someSeed } from "../harness/random.ts";
import { handlerTarget, liveTarget } from "./targets.ts";

const words = process.argv.slice(2);
const [requests = 20_000, seed = someSeed()] = words.filter((word) => word !== "--live").map(Number);
const target = await (words.includes("--live") ? liveTarget() : handlerTarget());
try {
  // Imported only now: what they import reads the environment.
  const [{ fuzz }, { proveBooks }] = await Promise.all([import("./fuzz.ts"), import("./prove-books.ts")]);
  console.log(`${requests} requests, seed ${seed}`);
  const started = performance.now();
  const { statuses, endpoints, faults } = await fuzz({
    attackers: target,
    victim: target.victim,
    requests,
    seed,
    concurrency: 8,
    settled: target.settled,
    onProgress: (sent) =>
      console.log(`${((performance.now() - started) / 1_000).toFixed(0)} s: ${sent} sent`),
  });
  await target.settled();
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
  await target.stop();
}
