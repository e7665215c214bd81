import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { auditStore } from "../../infra/commands/audit/audit-store.ts";
import { JournalFile } from "../../infra/commands/audit/journal-file.ts";

/** What is wrong with the books of the store that the environment names; nothing where every balance is proved. */
export async function proveBooks(): Promise<{
  readonly entries: number;
  readonly faults: readonly string[];
}> {
  const directory = mkdtempSync(path.join(tmpdir(), "fuzz-"));
  const journal = new JournalFile(path.join(directory, "audit.journal"));
  try {
    const { entries, faults } = await auditStore({ journal, onProgress: () => undefined });
    return { entries, faults };
  } finally {
    await journal.end();
    rmSync(directory, { recursive: true });
  }
}
