import type { depositRoutes, walletRoutes } from "../../shared/contract/wallets.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type WalletOperations = Operations<(typeof walletRoutes | typeof depositRoutes)[number]>;
