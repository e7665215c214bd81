import { givenCard } from "../given-cards.ts";
import { encryptFor, givenDevice } from "../given-device.ts";
import { blocked, type EndpointCases, type Preparation } from "./case.ts";

type Program = Parameters<Preparation>[0];

const revealing: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program)).cardId },
  body: { publicKey: (await givenDevice()).publicKey },
});

async function encryptPin(program: Program): Promise<string> {
  const { jwk } = (await program.call("GET /vault/key")).body.data;
  return encryptFor(jwk, { pin: "8271", nonce: crypto.randomUUID() });
}

const settingPin: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program)).cardId },
  body: { jwe: await encryptPin(program) },
});

/** For the sandbox's wallet, in Apple's place. */
const pushing: Preparation = async (program) => {
  const wallet = (await program.call("GET /wallets/certificates", {})).body.data;
  return {
    path: { cardId: (await givenCard(program)).cardId },
    body: { wallet: "apple_pay", ...wallet },
  };
};

/** What the sandbox's wallet opens. */
const pushed: Preparation = async (program) => {
  const answer = await program.call("POST /cards/{cardId}/push-provisioning", await pushing(program));
  return { body: { payload: answer.body.data } };
};

/** The same request, of a card that is closed. */
const closed =
  (preparation: Preparation): Preparation =>
  async (program) => {
    const request = await preparation(program);
    await program.call("POST /cards/{cardId}/close", { path: { ...request.path } });
    return request;
  };

export const cardDataCases: readonly EndpointCases[] = [
  {
    route: "POST /cards/{cardId}/reveal",
    success: revealing,
    refusals: {
      KEY_USED: async (program) => {
        const request = await revealing(program);
        await program.call("POST /cards/{cardId}/reveal", request);
        return request;
      },
      RATE_LIMITED: async (program) => {
        const request = await revealing(program);
        for (let count = 0; count < 10; count += 1) {
          const body = { publicKey: (await givenDevice()).publicKey };
          await program.call("POST /cards/{cardId}/reveal", { ...request, body });
        }
        return request;
      },
      ILLEGAL_TRANSITION: closed(revealing),
      CARD_BLOCKED: blocked(revealing),
    },
  },
  {
    route: "PUT /cards/{cardId}/pin",
    success: settingPin,
    refusals: {
      NONCE_USED: async (program) => {
        const request = await settingPin(program);
        await program.call("PUT /cards/{cardId}/pin", request);
        return request;
      },
      ILLEGAL_TRANSITION: closed(settingPin),
      CARD_BLOCKED: blocked(settingPin),
    },
  },
  { route: "GET /vault/key", success: async () => ({}) },
  {
    route: "POST /cards/{cardId}/push-provisioning",
    success: pushing,
    refusals: {
      VALIDATION_FAILED: async (program) => {
        const { path, body } = await pushing(program);
        const { certificates } = body as { certificates: string[] };
        return { path, body: { ...(body as object), certificates: certificates.toReversed() } } as never;
      },
      RATE_LIMITED: async (program) => {
        const request = await pushing(program);
        for (let count = 0; count < 10; count += 1)
          await program.call("POST /cards/{cardId}/push-provisioning", request);
        return request;
      },
      ILLEGAL_TRANSITION: closed(pushing),
      CARD_BLOCKED: blocked(pushing),
    },
  },
  { route: "GET /wallets/certificates", success: async () => ({}) },
  {
    route: "POST /wallets/provision",
    success: pushed,
    refusals: {
      VALIDATION_FAILED: async () => ({ body: { payload: { opaquePaymentCard: "YQ.YQ.YQ.YQ.YQ" } } }),
      ILLEGAL_TRANSITION: async (program) => {
        const request = await pushed(program);
        await program.call("POST /wallets/provision", request);
        return request;
      },
    },
  },
];
