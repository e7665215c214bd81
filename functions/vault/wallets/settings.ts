import * as z from "zod";
import { WalletTrust } from "../../../shared/contract/wallet-trust.ts";

/** By what wallets are known, as the deployment says. In a sandbox, its own wallet stands in. */
export const WalletSettings = WalletTrust.extend({ isSimulated: z.boolean().optional() });
export type WalletSettings = z.output<typeof WalletSettings>;
