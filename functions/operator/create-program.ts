import { defaultWalletPut } from "../../shared/domain/wallets/wallet.ts";
import { requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import { createProgram as createProgramOf } from "../../shared/tenancy/programs/new-program.ts";
import type { Command } from "./command.ts";

/**
 * Creates a Program of the Tenant, with its first Wallet. Each call makes another one.
 *
 * @throws CommandRefused when there is no such Tenant, or an extended public key has a slip in it or is another Program's
 */
export const createProgram: Command<"create-program"> = async (input, actor) => {
  const { program, outcome } = await createProgramOf(input, actor, defaultWalletPut);
  requireCommitted(outcome);
  return { programId: program.programId, walletId: program.defaultWalletId };
};
