import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type AuditResult, auditStore } from "../../infra/commands/audit/audit-store.ts";
import { JournalFile } from "../../infra/commands/audit/journal-file.ts";

/** Audits the environment's store. The journal is dropped. */
export async function auditBooks(): Promise<AuditResult> {
  const directory = mkdtempSync(path.join(tmpdir(), "audit-"));
  const journal = new JournalFile(path.join(directory, "audit.journal"));
  try {
    return await auditStore({ journal, onProgress: () => undefined });
  } finally {
    await journal.end();
    rmSync(directory, { recursive: true });
  }
}

export async function findFaults(): Promise<readonly string[]> {
  return (await auditBooks()).faults;
}
