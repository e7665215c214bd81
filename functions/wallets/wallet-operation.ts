import type { RouteKey } from "../../shared/contract/route.ts";
import type { walletRoutes } from "../../shared/contract/wallets.ts";
import type { Operations } from "../../shared/http/request.ts";

type WalletRoute = (typeof walletRoutes)[number];

/** The operation of one Wallet endpoint, by `METHOD /path`. */
export type WalletOperation<K extends keyof Operations<WalletRoute> & RouteKey<WalletRoute>> =
  Operations<WalletRoute>[K];
