import type { VaultCaller } from "../../shared/contract/vault.ts";

export function functionName(environmentName: string, name: string): string {
  return `card-issuing-${environmentName}-${name}`;
}

export function operatorFunctionName(environmentName: string): string {
  return functionName(environmentName, "operator");
}

/**
 * The alias of a function whose new versions take over in steps (`addLiveAliases`). Who invokes it
 * by another name evades the steps.
 */
export const liveAlias = "live";

/** How connected parties and the listener invoke the processor's function. */
export function processorFunctionName(environmentName: string): string {
  return `${functionName(environmentName, "processor-events")}:${liveAlias}`;
}

/** The function's role has the same name; the CAs' key policies refer to it. */
export function certificatesFunctionName(environmentName: string): string {
  return functionName(environmentName, "certificates");
}

/** The vault's function and its role have it: the policies of its keys refer to it. */
export function vaultName(environmentName: string): string {
  return functionName(environmentName, "vault");
}

/** How a caller invokes the vault: by its alias. */
export function vaultFunctionName(environmentName: string, caller: VaultCaller): string {
  return `${vaultName(environmentName)}:${caller}`;
}

/** Identifies a restore in names: `20261122T140300Z`. */
export function restoreStamp(to: string): string {
  return `${new Date(to).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

/** The environment's settings find a restored table by this name. */
export function restoredTableName(environment: string, table: "issuing" | "accounts", to: string): string {
  return `card-issuing-${environment}-${table}-${restoreStamp(to)}`;
}

export function restoredLogicalId(table: "IssuingTable" | "AccountsTable", to: string): string {
  return `${table}${restoreStamp(to)}`;
}
