import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { flag, json, number, seed } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "fuzz",
  summary: "sends hostile requests to every endpoint in this process, then audits the books",
  options: {
    requests: number("how many", { fallback: 20_000 }),
    live: flag("to a whole platform, over mutual TLS"),
    seed,
    json,
  },
  failsIf: "a fault was found",
  run: async ({ options: { requests, live, seed: given, json: isJson } }) => {
    const { someSeed } = await import("../../harness/random.ts");
    const { handlerTarget, liveTarget } = await import("./targets.ts");
    const seed = given ?? someSeed();
    const target = await (live ? liveTarget() : handlerTarget());
    try {
      // Imported only now: what they import reads the environment.
      const [{ fuzz }, { auditBooks }] = await Promise.all([
        import("./fuzz.ts"),
        import("../../harness/audit-books.ts"),
      ]);
      say(`${requests} requests, seed ${seed}`);
      const { statuses, endpoints, faults } = await fuzz({
        attackers: target,
        victim: target.victim,
        requests,
        seed,
        concurrency: 8,
        settled: target.settled,
        onProgress: (sent) => progress(`${sent} of ${requests} sent`),
      });
      await target.settled();
      const books = await auditBooks();
      const counts = [...statuses].toSorted(([left], [right]) => left - right);
      say(`${endpoints} endpoints; ${counts.map(([status, count]) => `${status}: ${count}`).join(", ")}`);
      const all = [...faults, ...books.faults];
      for (const fault of all.slice(0, 50)) say(`! ${fault}`);
      say(
        all.length === 0
          ? `No faults; ${books.entries} journal entries prove the balances.`
          : `Faults: ${all.length}.`,
      );
      if (isJson) {
        const { entries } = books;
        printJson({ requests, seed, endpoints, statuses: Object.fromEntries(counts), entries, faults: all });
      }
      return all.length === 0;
    } finally {
      await target.stop();
    }
  },
});

if (import.meta.main) await runCommand(command);
