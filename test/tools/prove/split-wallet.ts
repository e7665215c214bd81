import { readStore, useStore } from "../../../infra/commands/audit/connect-store.ts";

/** Splits a Wallet: the local engine has no conflicts. */
const [connectionFile = "", programId = "", accountId = ""] = process.argv.slice(2);
useStore(readStore(connectionFile));
// Imported late because it reads the environment.
const { splitWallet } = await import("../../../shared/ledger/hot/split-wallet.ts");
await splitWallet(programId, { kind: "wallet", accountId }, 1);
