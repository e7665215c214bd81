/** Distinguishes one restore from another in names: `20261122T140300Z`. */
export function restoreStamp(to: string): string {
  return `${new Date(to).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

/** The name of a restored table, by which the environment's settings find it. */
export function restoredTableName(environment: string, table: "issuing" | "accounts", to: string): string {
  return `card-issuing-${environment}-${table}-${restoreStamp(to)}`;
}

/** The logical id of a restored table in the data stack. */
export function restoredLogicalId(table: "IssuingTable" | "AccountsTable", to: string): string {
  return `${table}${restoreStamp(to)}`;
}
