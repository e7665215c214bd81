import * as z from "zod";
import { type VaultCommand, type VaultInput, type VaultOutput, vaultCommands } from "../contract/vault.ts";
import { defineDeadline } from "../platform/deadlines.ts";
import { environment } from "../platform/environment.ts";
import { invokeFunction } from "../platform/invoke-function.ts";
import { correlation } from "../platform/log.ts";

/** The Card was closed: what is refunded or reversed later needs no PIN (PCI DSS 3.2.1). */
export const pinDeletion = defineDeadline("forget_pin", "normal", z.object({ cardId: z.string() }));

/** A batch for production, or a bank's file, takes longer than a request's caller would wait. */
const timeoutMs: { readonly [Command in VaultCommand]?: number } = {
  "export-production": 27_000,
  "open-accounts": 27_000,
};

/**
 * Invokes the vault. Only outcomes come back: its errors say nothing of its data.
 * @throws ApiError UNAVAILABLE; Error if it fails
 */
export async function askVault<C extends VaultCommand>(
  command: C,
  input: VaultInput<C>,
  invoke = invokeFunction,
): Promise<VaultOutput<C>> {
  const question = { command, input, callerRequestId: correlation().requestId };
  const answer = await invoke(environment.vaultFunction, question, timeoutMs[command]);
  return vaultCommands[command].output.parse(answer) as never;
}
