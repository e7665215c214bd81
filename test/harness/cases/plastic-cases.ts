import { givenCard, shippingAddress } from "../given-cards.ts";
import { after, and, called, closedCard, type EndpointCases, newCard, type Preparation } from "./case.ts";

const replace = "POST /cards/{cardId}/replace";
const active = and(newCard, { body: {} });
const lost = and(newCard, { body: { reason: "lost" } });

/** A physical Card of which a replacement is on its way. */
const replaced: Preparation = async (program) => {
  const { cardId } = await givenCard(program, { cardForm: 1, shippingAddress });
  const request = { path: { cardId }, body: { reason: "damaged", shippingAddress } };
  await program.call(replace, request);
  return request;
};

/** A Card that has had all plastics that it can. */
const worn = (first: Preparation) => called(replace, first, { reason: "lost" }, 49);

export const plasticCases: EndpointCases = {
  "GET /cards/{cardId}/plastics": replaced,
  "GET /account-updates": after(called(replace, lost), { query: { kind: "number" } }),
  [replace]: [
    lost,
    { ILLEGAL_TRANSITION: closedCard, REPLACEMENT_PENDING: replaced, LIMIT_REACHED: worn(lost) },
  ],
  "POST /cards/{cardId}/renew": [
    active,
    {
      ILLEGAL_TRANSITION: closedCard,
      REPLACEMENT_PENDING: and(replaced, { body: {} }),
      LIMIT_REACHED: worn(active),
    },
  ],
};
