import { useStore } from "../../../infra/commands/audit/connect-store.ts";
import { JournalFile } from "../../../infra/commands/audit/journal-file.ts";
import type { Connection } from "../../../infra/development/connection.ts";

export interface Books {
  readonly accounts: number;
  readonly entries: number;
  readonly events: number;
  readonly faults: readonly string[];
}

/** Audits the whole store, as `npm run audit` does. */
export async function auditBooks(
  { store }: Connection,
  journalFile: string,
  onProgress: (items: number) => void,
): Promise<Books> {
  useStore(store);
  // Imported late because it reads the environment.
  const { auditStore } = await import("../../../infra/commands/audit/audit-store.ts");
  const journal = new JournalFile(journalFile);
  const { accounts, entries, events, faults } = await auditStore({ journal, onProgress });
  await journal.end();
  return { accounts, entries, events, faults };
}
