import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import { nothing } from "../changes/change.ts";
import type { CardPart } from "../network-events/card-part.ts";
import { toAvs } from "../verification/presentation.ts";
import { withVerifiedAddress } from "../verification/verify-address.ts";

/** The Cardholder is only read for the address that a merchant sent: it is compared with theirs. */
export const sentAddress: CardPart<Cardholder> = {
  name: "cardholder",
  read: (event, known) => {
    if (!("billingAddress" in event) || !event.billingAddress) return nothing;
    const get = async () => {
      const card = await known.card();
      return card && cardholders.at(event.programId, card.cardholderId).get();
    };
    return { get, renew: (seen) => seen };
  },
  judge: ({ event, item }) => ({
    event: withVerifiedAddress(event, (item as Cardholder | undefined)?.address),
  }),
  complete: (plan) => {
    const { addressLine, postalCode } = plan.transaction?.event?.verification ?? {};
    if (!(addressLine ?? postalCode)) return plan;
    return { ...plan, result: { ...plan.result, avs: toAvs(addressLine, postalCode) } };
  },
};
