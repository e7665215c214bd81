import type { EventOptions } from "../api-event.ts";
import { type GivenProgram, givenCard } from "../given-cards.ts";
import type { CaseRequest, EndpointCases, Preparation } from "./case.ts";

const merchant = { merchantName: "Corner Shop", mcc: "5411", merchantCity: "London", merchantCountry: "GB" };
const purchase = { amount: 1_200, ...merchant };

/** A card with money on it. */
const funded: Preparation = async (program) => {
  const path = { cardId: (await givenCard(program)).cardId };
  await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 10_000 } });
  return { path };
};

/** Calls the endpoint on a new card with money, and answers its data. */
async function done(program: GivenProgram, route: EventOptions["route"], body: object) {
  const { path = {} } = await funded(program);
  const answer = await program.call(route, { path, body });
  if (answer.status !== 200) throw new Error(`${route} answered ${JSON.stringify(answer.body)}`);
  return { path, data: answer.body.data as Record<string, string> };
}

const authorized: Preparation = async (program) => {
  const { data } = await done(program, "POST /cards/{cardId}/authorizations", purchase);
  return { path: { authorizationId: data.authorizationId ?? "" } };
};

const expired: Preparation = async (program) => {
  const request = await authorized(program);
  await program.call("POST /authorizations/{authorizationId}/expire", request);
  return request;
};

const refunded: Preparation = async (program) => {
  const { path, data } = await done(program, "POST /cards/{cardId}/refunds", purchase);
  return { path: { ...path, transId: data.transId ?? "" } };
};

const charged: Preparation = async (program) => {
  const { path, data } = await done(program, "POST /cards/{cardId}/fees", { feeType: 2, amount: 300 });
  return { path: { ...path, feeId: data.feeId ?? "" } };
};

export const purchased: Preparation = async (program) => {
  const { path, data } = await done(program, "POST /cards/{cardId}/force-post", purchase);
  return { path, body: { transId: data.transId, amount: 1_000 } };
};

const disputed: Preparation = async (program) => {
  const request = await purchased(program);
  const answer = await program.call("POST /cards/{cardId}/chargebacks", request);
  return { path: { chargebackId: answer.body.data.chargebackId as string }, body: { status: 2 } };
};

/** The same request, once it has been made. */
export const again =
  (route: EventOptions["route"], first: Preparation): Preparation =>
  async (program) => {
    const request: CaseRequest = await first(program);
    await program.call(route, request);
    return request;
  };

const onCard =
  (body: object): Preparation =>
  async (program) => ({ ...(await funded(program)), body });

const settledWith = { ...purchase, referenceCode: "R-1" };

/** A settlement whose reference code another one had. */
const referenceTaken =
  (given: Preparation): Preparation =>
  async (program) => {
    // Another case may have settled with it.
    await program.call("POST /cards/{cardId}/force-post", { ...(await funded(program)), body: settledWith });
    return { ...(await given(program)), body: settledWith };
  };

const onAuthorization =
  (body: object): Preparation =>
  async (program) => ({ ...(await authorized(program)), body });

export const networkCases: readonly EndpointCases[] = [
  { route: "POST /cards/{cardId}/authorizations", success: onCard(purchase) },
  {
    route: "POST /cards/{cardId}/authorization-advices",
    success: onCard({ ...purchase, standIn: true }),
    refusals: {
      // Another card's authorization.
      ILLEGAL_TRANSITION: async (program) => ({
        ...(await funded(program)),
        body: { ...purchase, ...(await authorized(program)).path },
      }),
    },
  },
  { route: "POST /authorizations/{authorizationId}/increment", success: onAuthorization({ amount: 300 }) },
  {
    route: "POST /authorizations/{authorizationId}/clear",
    success: onAuthorization({ ...purchase, amount: 1_250 }),
    refusals: { REFERENCE_EXISTS: referenceTaken(authorized) },
  },
  {
    route: "POST /authorizations/{authorizationId}/reverse",
    success: onAuthorization({ amount: 200 }),
    refusals: { ILLEGAL_TRANSITION: async (program) => ({ ...(await expired(program)), body: {} }) },
  },
  {
    route: "POST /authorizations/{authorizationId}/expire",
    success: authorized,
    refusals: { ILLEGAL_TRANSITION: expired },
  },
  {
    route: "POST /cards/{cardId}/force-post",
    success: onCard(purchase),
    refusals: { REFERENCE_EXISTS: referenceTaken(funded) },
  },
  {
    route: "POST /cards/{cardId}/refunds",
    success: onCard(purchase),
    refusals: {
      REFERENCE_EXISTS: referenceTaken(funded),
      // A refund of a refund.
      ILLEGAL_TRANSITION: async (program) => {
        const { path } = await refunded(program);
        return {
          path: { cardId: path?.cardId ?? "" },
          body: { ...purchase, originalTransId: path?.transId },
        };
      },
    },
  },
  {
    route: "POST /cards/{cardId}/refunds/{transId}/reverse",
    success: refunded,
    refusals: { ILLEGAL_TRANSITION: again("POST /cards/{cardId}/refunds/{transId}/reverse", refunded) },
  },
  {
    route: "POST /cards/{cardId}/atm-withdrawals",
    success: onCard({ ...purchase, entryMode: "chip", feeAmount: 250 }),
    refusals: { REFERENCE_EXISTS: referenceTaken(funded) },
  },
  { route: "POST /cards/{cardId}/fees", success: onCard({ feeType: 2, amount: 300 }) },
  {
    route: "POST /cards/{cardId}/fees/{feeId}/reverse",
    success: charged,
    refusals: { ILLEGAL_TRANSITION: again("POST /cards/{cardId}/fees/{feeId}/reverse", charged) },
  },
  { route: "POST /cards/{cardId}/balance-inquiries", success: onCard(merchant) },
  {
    route: "POST /cards/{cardId}/chargebacks",
    success: purchased,
    refusals: { ILLEGAL_TRANSITION: again("POST /cards/{cardId}/chargebacks", purchased) },
  },
  {
    route: "POST /chargebacks/{chargebackId}/outcome",
    success: disputed,
    refusals: { ILLEGAL_TRANSITION: again("POST /chargebacks/{chargebackId}/outcome", disputed) },
  },
];
