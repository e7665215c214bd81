import { requested } from "./request.ts";
import { entered, noticed } from "./steps.ts";

/** What wallets ask and say of tokens, by the network. */
export const tokenChanges = {
  token_request: requested,
  token_notice: noticed,
  token_passcode: entered,
} as const;
