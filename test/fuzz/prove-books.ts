import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { auditStore } from "../../infra/commands/audit/audit-store.ts";
import { JournalFile } from "../../infra/commands/audit/journal-file.ts";

/** The faults in the books of the environment's store. */
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
