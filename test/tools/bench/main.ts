import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { json, number, text } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";
import { partNames, slowParts, usualParts } from "./part-names.ts";

export const command = declareCommand({
  name: "bench",
  summary: "counts round trips and units against their limits, and shows times and throughput",
  takes: [
    {
      name: "part",
      about: `default: all before ${slowParts[0]}`,
      is: "repeatable",
      choices: partNames,
    },
  ],
  options: {
    size: number("records of dead-endpoint and long-lists"),
    scale: number("share of the records of lists", { least: 0, most: 1, isFractional: true, fallback: 1 }),
    list: text("<name>", "one of the lists of long-lists"),
    json,
  },
  failsIf: "a limit is exceeded",
  run: async ({ words, options }) => {
    const environment = { ...process.env };
    const { startEngine, useTables } = await import("../../harness/engine.ts");
    const { tablesOfTheTemplate } = await import("../../harness/tables.ts");
    const { print } = await import("./report.ts");
    const engine = await startEngine();
    const { endpoint } = engine;
    const asked = words.length > 0 ? partNames.filter((name) => words.includes(name)) : usualParts;
    const tables = [];
    try {
      await useTables(endpoint, tablesOfTheTemplate(), "bench");
      // Imported only now: what it imports reads the environment.
      const { measurePart } = await import("./parts.ts");
      for (const name of asked) {
        progress(name);
        const measured = await measurePart(name, { endpoint, environment, ...options });
        for (const table of measured) print(table);
        tables.push(...measured);
      }
    } finally {
      await engine.stop();
    }
    const broken = tables.flatMap(({ rows }) => rows.flatMap((row) => row.broken ?? []));
    say(broken.length === 0 ? "\nEvery limit is kept." : `\nBroken limits:\n  ${broken.join("\n  ")}`);
    if (options.json) printJson({ tables, broken });
    return broken.length === 0;
  },
});

if (import.meta.main) await runCommand(command);
