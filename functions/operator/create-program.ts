import { now } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { newId } from "../../shared/id.ts";
import type { Program } from "../../shared/program/program.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact } from "../../shared/table/transact.ts";
import { newWallet, walletPut } from "../../shared/wallet/wallet.ts";
import type { Command } from "./command.ts";
import { requireCommitted, tenantExists } from "./existence.ts";
import { requireExtendedPublicKeys } from "./extended-public-keys.ts";

/**
 * Creates a Program of the Tenant, with its first Wallet. Each call makes another one.
 *
 * @throws CommandRefused when there is no such Tenant, or an extended public key has a slip in it.
 */
export const createProgram: Command<"create-program"> = async (input, audit) => {
  const { tenantId, name, currency, settings } = input;
  requireExtendedPublicKeys(settings.extendedPublicKeys);
  const program: Program = {
    programId: newId("program"),
    tenantId,
    name,
    currency,
    settings,
    defaultWalletId: newId("wallet"),
    createdAt: audit.at,
    createdBy: audit.by,
  };
  const { programId, defaultWalletId: walletId } = program;
  requireCommitted(
    await transact([
      tenantExists(tenantId),
      {
        name: "program",
        Put: {
          TableName: environment.accountsTable,
          Item: { ...accountsKey.program(programId), ...program },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      walletPut(programId, newWallet({ walletId, name: "Default", currency }, now())),
    ]),
  );
  return { programId, walletId };
};
