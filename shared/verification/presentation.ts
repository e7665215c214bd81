import type * as z from "zod";
import { NetworkResults, presentedIds, SentVerification } from "../contract/verification.ts";

/** What was sent, with what the platform found of it in place of the sender's results. */
const Verification = SentVerification.extend({ network: NetworkResults.optional() });
export type Verification = Readonly<z.output<typeof Verification>>;

/** How a card was presented. Stored beside what it is of; what was not sent takes no byte. */
export const presentation = { ...presentedIds, verification: Verification.optional() };

export interface Presentation {
  readonly plasticId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly authenticationId?: string | undefined;
  readonly verification?: Verification | undefined;
}

/** What there is of it. */
export function presented({
  plasticId,
  tokenId,
  authenticationId,
  verification,
}: Presentation): Presentation {
  return {
    ...(plasticId !== undefined && { plasticId }),
    ...(tokenId !== undefined && { tokenId }),
    ...(authenticationId !== undefined && { authenticationId }),
    ...(verification && { verification }),
  };
}
