import type { TokenNetwork } from "../contract/tokens.ts";
import { idOfText } from "./id.ts";

/**
 * The id follows from what the network calls the token: so nothing is read to find it by that, and
 * a request that comes twice finds the first.
 */
export function toTokenId(programId: string, network: TokenNetwork, tokenReference: string): string {
  return idOfText("token", `${programId} ${network} ${tokenReference}`);
}
