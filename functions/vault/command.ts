import type * as z from "zod";
import type { VaultCommand, VaultOutput, vaultCommands } from "../../shared/contract/vault.ts";

export type Command<C extends VaultCommand> = (
  input: z.output<(typeof vaultCommands)[C]["input"]>,
) => Promise<VaultOutput<C>>;
