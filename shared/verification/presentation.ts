import { presentedFields, type SentVerification } from "../contract/verification.ts";

/** What was sent, with what the platform found of it in place of the sender's results. */
export type Verification = Readonly<SentVerification>;

/** How a card was presented. Stored beside what it is of; what was not sent takes no byte. */
export const presentation = presentedFields;

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
