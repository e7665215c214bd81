import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { json, number, seed } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "prove",
  summary:
    "proves random sequences of network events, and of bank money, on the real engine against reference models",
  options: {
    sequences: number("how many", { fallback: 1_000 }),
    bank: number("how many of bank money, of 100 steps", { fallback: 100 }),
    lanes: number("how many at once", { fallback: 6 }),
    seed,
    json,
  },
  failsIf: "a sequence came out otherwise",
  run: async ({ options: { sequences, bank, lanes, seed: given, json: isJson } }) => {
    const { startEngine, useTables } = await import("../../harness/engine.ts");
    const { someSeed } = await import("../../harness/random.ts");
    const { tablesOfTheTemplate } = await import("../../harness/tables.ts");
    const seed = given ?? someSeed();
    await using cleaning = cleanUp();
    const starting = startEngine();
    cleaning.defer(async () => (await starting.catch(() => undefined))?.stop());
    const engine = await starting;
    await useTables(engine.endpoint, tablesOfTheTemplate(), "prove");
    // Imported only now: what they import reads the environment.
    const { proveCards } = await import("../../harness/card-model/run-sequence.ts");
    const { proveBankMoney } = await import("../../harness/bank-model/run-sequence.ts");
    const started = performance.now();
    const seconds = () => Math.round((performance.now() - started) / 1000);
    const countUpTo = (wanted: number) => {
      let count = 0;
      return () => {
        count += 1;
        progress(`${count} of ${wanted} in ${seconds()} s`);
      };
    };
    say(`Proving ${sequences} sequences of 60 events against ${engine.endpoint}, seed ${seed}.`);
    await proveCards({ sequences, lanes, seed, done: countUpTo(sequences) });
    say(`All ${sequences} sequences came out as the model says.`);
    say(`Proving ${bank} sequences of 100 steps of bank money.`);
    await proveBankMoney({ sequences: bank, lanes, seed, done: countUpTo(bank) });
    say(`All ${bank} sequences of bank money came out as the model says.`);
    if (isJson) printJson({ sequences, bank, seed, seconds: seconds() });
  },
});

if (import.meta.main) await runCommand(command);
