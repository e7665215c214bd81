import type { EventOptions } from "../api-event.ts";
import { after, and, called, created, type EndpointCases, newCard, type Preparation } from "./case.ts";

const merchant = { merchantName: "Corner Shop", mcc: "5411", merchantCity: "London", merchantCountry: "GB" };
const purchase = { amount: 1_200, ...merchant };

/** A card with money on it. */
const funded = called("POST /cards/{cardId}/bank-deposit", newCard, { amount: 10_000 });
const onCard = (body: object) => and(funded, { body });

/** Calls the endpoint on a new card with money: its path, with an id of what the endpoint made. */
const done =
  (route: EventOptions["route"], body: object, idName: string): Preparation =>
  async (program) => {
    const { path } = await funded(program);
    const answer = await program.call(route, { path, body });
    if (answer.status !== 200) throw new Error(`${route} answered ${JSON.stringify(answer.body)}`);
    return { path: { ...path, [idName]: answer.body.data[idName] } };
  };

const authorized: Preparation = async (program) => {
  const { path } = await done("POST /cards/{cardId}/authorizations", purchase, "authorizationId")(program);
  return { path: { authorizationId: path?.authorizationId ?? "" } };
};
const onAuthorization = (body: object) => and(authorized, { body });

const refunded = done("POST /cards/{cardId}/refunds", purchase, "transId");

export const purchased: Preparation = async (program) => {
  const { path } = await done("POST /cards/{cardId}/force-post", purchase, "transId")(program);
  const { cardId = "", transId } = path ?? {};
  return { path: { cardId }, body: { transId, amount: 1_000 } };
};

const settledWith = { ...purchase, referenceCode: "R-1" };

/** A settlement whose reference code another one had: another case may have settled with it. */
const referenceTaken = (given: Preparation) =>
  after(called("POST /cards/{cardId}/force-post", onCard(settledWith)), and(given, { body: settledWith }));

export const networkCases: EndpointCases = {
  "POST /cards/{cardId}/authorizations": onCard(purchase),
  "POST /cards/{cardId}/authorization-advices": [
    onCard({ ...purchase, standIn: true }),
    {
      // Another card's authorization.
      ILLEGAL_TRANSITION: and(funded, async (program) => ({
        body: { ...purchase, ...(await authorized(program)).path },
      })),
    },
  ],
  "POST /authorizations/{authorizationId}/increment": onAuthorization({ amount: 300 }),
  "POST /authorizations/{authorizationId}/clear": [
    onAuthorization({ ...purchase, amount: 1_250 }),
    { REFERENCE_EXISTS: referenceTaken(authorized) },
  ],
  "POST /authorizations/{authorizationId}/reverse": [
    onAuthorization({ amount: 200 }),
    {
      ILLEGAL_TRANSITION: and(called("POST /authorizations/{authorizationId}/expire", authorized), {
        body: {},
      }),
    },
  ],
  "POST /authorizations/{authorizationId}/expire": authorized,
  "POST /cards/{cardId}/force-post": [onCard(purchase), { REFERENCE_EXISTS: referenceTaken(funded) }],
  "POST /cards/{cardId}/refunds": [
    onCard(purchase),
    {
      REFERENCE_EXISTS: referenceTaken(funded),
      // A refund of a refund.
      ILLEGAL_TRANSITION: async (program) => {
        const { cardId = "", transId } = (await refunded(program)).path ?? {};
        return { path: { cardId }, body: { ...purchase, originalTransId: transId } };
      },
    },
  ],
  "POST /cards/{cardId}/refunds/{transId}/reverse": refunded,
  "POST /cards/{cardId}/atm-withdrawals": [
    onCard({ ...purchase, entryMode: "chip", feeAmount: 250 }),
    { REFERENCE_EXISTS: referenceTaken(funded) },
  ],
  "POST /cards/{cardId}/fees": onCard({ feeType: 2, amount: 300 }),
  "POST /cards/{cardId}/fees/{feeId}/reverse": done(
    "POST /cards/{cardId}/fees",
    { feeType: 2, amount: 300 },
    "feeId",
  ),
  "POST /cards/{cardId}/balance-inquiries": onCard(merchant),
  "POST /cards/{cardId}/chargebacks": purchased,
  "POST /chargebacks/{chargebackId}/outcome": and(
    created("POST /cards/{cardId}/chargebacks", purchased, "chargebackId"),
    { body: { status: 2 } },
  ),
};
