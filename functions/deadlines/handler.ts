import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { deferredHandler } from "../../shared/platform/deferred-handler.ts";

export const handler = deferredHandler(async () => (await withHotWallets(import("./sweep.ts"))).runDue);
