import { TransactionStatus } from "../../contract/enums.ts";
import { FeeType } from "../../contract/transactions.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId, withoutPrefix } from "../../platform/id.ts";
import type { CardIdentity } from "../cards/card-identity.ts";
import type { Fee } from "./fee.ts";
import { numericCurrency } from "./source-amount.ts";

const descriptionOf = {
  1: "Card Issuance Fee",
  2: "Maintenance Fee",
  3: "Cash Advance Fee",
  4: "Foreign Exchange Fee",
  5: "Service Fee",
} as const satisfies Record<FeeType, string>;

/** What the fee of an ATM withdrawal is, whatever its amount. */
export const atmFee = { feeType: FeeType.atm, description: "Foreign Cash Adv Fee" } as const;

/** Which card is charged, and when. */
export interface Charge {
  readonly identity: CardIdentity;
  readonly at: Date;
  /** When what it is charged for happened, if that was earlier. */
  readonly occurredAt?: string | undefined;
}

/** The record of a fee that is charged on a card, in minor units. */
export function newFee(
  { identity, at, occurredAt }: Charge,
  fields: Pick<Fee, "feeType" | "amountMinor"> & Partial<Pick<Fee, "relatedTransId" | "description">>,
): Fee {
  const { programId, cardId, cardholderId, currency } = identity;
  const feeId = newId("fee");
  return {
    programId,
    feeId,
    cardId,
    cardholderId,
    transType: 15,
    transStatus: TransactionStatus.completion,
    currency,
    // The network states no merchant amount for a fee of cash.
    srcAmountMinor: fields.feeType === FeeType.atm ? 0 : fields.amountMinor,
    srcCurrency: numericCurrency[currency],
    referenceCode: withoutPrefix(feeId),
    description: descriptionOf[fields.feeType],
    transDate: occurredAt ?? timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    ...fields,
  };
}
