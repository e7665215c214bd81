import { encryptFor, givenDevice } from "../given-device.ts";
import { again, and, closedCard, type EndpointCases, newCard, type Preparation } from "./case.ts";

const revealing = and(newCard, async () => ({ body: { publicKey: (await givenDevice()).publicKey } }));

const settingPin = and(newCard, async (program) => {
  const { jwk } = (await program.call("GET /vault/key")).body.data;
  return { body: { jwe: await encryptFor(jwk, { pin: "8271", nonce: crypto.randomUUID() }) } };
});

/** For the sandbox's wallet, in Apple's place. */
const pushing: Preparation = async (program) => {
  const wallet = (await program.call("GET /wallets/certificates", {})).body.data;
  return and(newCard, { body: { wallet: "apple_pay", ...wallet } })(program);
};

/** What the sandbox's wallet opens. */
const pushed: Preparation = async (program) => {
  const answer = await program.call("POST /cards/{cardId}/push-provisioning", await pushing(program));
  return { body: { payload: answer.body.data } };
};

export const cardDataCases: EndpointCases = {
  "POST /cards/{cardId}/reveal": [
    revealing,
    {
      RATE_LIMITED: async (program) => {
        const request = await revealing(program);
        for (let count = 0; count < 10; count += 1) {
          const body = { publicKey: (await givenDevice()).publicKey };
          await program.call("POST /cards/{cardId}/reveal", { ...request, body });
        }
        return request;
      },
      ILLEGAL_TRANSITION: closedCard,
    },
  ],
  "PUT /cards/{cardId}/pin": [settingPin, { ILLEGAL_TRANSITION: closedCard }],
  "GET /vault/key": {},
  "POST /cards/{cardId}/push-provisioning": [
    pushing,
    {
      VALIDATION_FAILED: async (program) => {
        const { path, body } = await pushing(program);
        const { certificates } = body as { certificates: string[] };
        return { path, body: { ...(body as object), certificates: certificates.toReversed() } };
      },
      RATE_LIMITED: again(10),
      ILLEGAL_TRANSITION: closedCard,
    },
  ],
  "GET /wallets/certificates": {},
  "POST /wallets/provision": [
    pushed,
    { VALIDATION_FAILED: { body: { payload: { opaquePaymentCard: "YQ.YQ.YQ.YQ.YQ" } } } },
  ],
};
