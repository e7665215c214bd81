import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp, interrupted } from "../../../infra/command-line/clean-up.ts";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { number, seed, text } from "../../../infra/command-line/options.ts";
import { progress, say } from "../../../infra/command-line/print.ts";
import { storeLayout } from "../../../shared/contract/store-layout.ts";

export const command = declareCommand({
  name: "record-store",
  summary: "records the tables of a platform after mixed inputs, for later versions to start on",
  options: {
    inputs: number("how many", { fallback: 2_000 }),
    file: text("<file>", "where to", "store.gz"),
    seed,
  },
  run: async ({ options: { inputs, file, seed } }) => {
    const { startPlatform } = await import("../../../infra/development/platform.ts");
    const { randomFrom, someSeed } = await import("../../harness/random.ts");
    const { startReceiver } = await import("../../harness/receiver.ts");
    const { sendMixedInputs } = await import("../replay/mixed-inputs.ts");
    const { useControls } = await import("./use-controls.ts");
    const { readTables, writeStoreFile } = await import("./store-file.ts");
    await using cleaning = cleanUp();
    const directory = mkdtempSync(join(tmpdir(), "record-"));
    cleaning.defer(() => rmSync(directory, { recursive: true, force: true }));
    const receiver = await startReceiver();
    cleaning.defer(() => receiver.stop());
    const progressing = setInterval(() => progress("recording"), 1_000);
    try {
      const settings = { port: 0, directory, dynamodb: "dynoxide", receivers: [receiver.origin] };
      const starting = startPlatform({ ...settings, signal: interrupted });
      cleaning.defer(async () => (await starting.catch(() => undefined))?.stop());
      const platform = await starting;
      const { connection } = platform;
      await useControls(connection);
      await sendMixedInputs(connection, receiver, randomFrom(seed ?? someSeed()), inputs);
      await platform.settled();
      const { tenantId, programId, walletId, store } = connection;
      const tables = await readTables(store.endpoint, [store.issuingTable, store.accountsTable]);
      const usageKeys = readFileSync(join(directory, "usage-keys.json"), "utf8");
      const recordedAt = platform.clock.now();
      const of = { layout: storeLayout, tenantId, programId, walletId };
      writeStoreFile(file, { ...of, recordedAt, usageKeys, tables });
      say(`Recorded ${tables.reduce((sum, { items }) => sum + items.length, 0)} items in ${file}`);
    } finally {
      clearInterval(progressing);
    }
  },
});

if (import.meta.main) await runCommand(command);
