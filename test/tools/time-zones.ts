import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { UsageError } from "../../infra/command-line/options.ts";
import { say } from "../../infra/command-line/print.ts";
import { installTool } from "../../infra/tools/install-tool.ts";

export const command = declareCommand({
  name: "time-zones",
  summary: "takes the time zones of the pinned moment-timezone into the platform's table, from a day on",
  takes: [{ name: "date", about: "the first day (UTC) of the new data, later than its deployment" }],
  notes: "What is before the day stays: no period that is over by then changes.",
  run: async ({ words: [date = ""] }) => {
    const fromMs = Date.parse(`${date}T00:00:00Z`);
    if (Number.isNaN(fromMs)) throw new UsageError(`"${date}" is no date such as 2027-01-31.`);
    const { timeZoneTable } = await import("../../shared/contract/time-zone-table.ts");
    const { readPackedZones } = await import("./time-zones/packed-zones.ts");
    const { mergeZones, printTable } = await import("./time-zones/merge-zones.ts");
    const root = path.join(import.meta.dirname, "../..");
    const file = path.join(installTool("time-zones"), "moment-timezone/data/packed/latest.json");
    const latest = readPackedZones(JSON.parse(readFileSync(file, "utf8")));
    const table = mergeZones(timeZoneTable, latest, fromMs);
    writeFileSync(path.join(root, "shared/contract/time-zone-table.ts"), printTable(table));
    say(
      `shared/contract/time-zone-table.ts has ${table.version} from ${date} on. Deploy it before that day.`,
    );
  },
});

if (import.meta.main) await runCommand(command);
