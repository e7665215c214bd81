import { newAccountNumber, newIban, routingNumber } from "../bank-accounts.ts";
import type { GivenProgram } from "../given-cards.ts";
import { type EndpointCases, type Preparation, unknownId } from "./case.ts";

const holder = { holderName: "Ada Lovelace", holderType: "person" };
const added: Preparation = async () => ({ body: { ...holder, iban: newIban(), nickname: "Rent" } });

async function account(program: GivenProgram) {
  const { body } = await program.call("POST /external-accounts", await added(program));
  return { path: { externalAccountId: body.data.externalAccountId as string } };
}

const verification = "POST /external-accounts/{externalAccountId}/verification";
const check = "POST /external-accounts/{externalAccountId}/check";

const unverified: Preparation = async (program) => ({
  ...(await account(program)),
  body: { method: "bank_check" },
});

const pending: Preparation = async (program) => {
  const request = await unverified(program);
  await program.call(verification, request);
  return { ...request, body: { outcome: "close_match", name: "A. Lovelace" } };
};

const failed: Preparation = async (program) => {
  const request = await pending(program);
  await program.call(check, request);
  return request;
};

const confirm = "POST /external-accounts/{externalAccountId}/verification/confirm";
const view = "GET /external-accounts/{externalAccountId}/micro-deposits";

async function deposited(program: GivenProgram) {
  const request = await account(program);
  await program.call(verification, { ...request, body: { method: "micro_deposits" } });
  return request;
}

const told: Preparation = async (program) => {
  const request = await deposited(program);
  const { amounts } = (await program.call(view, request)).body.data;
  return { ...request, body: { amounts } };
};

export const externalAccountCases: readonly EndpointCases[] = [
  {
    route: "POST /external-accounts",
    success: added,
    refusals: {
      NOT_FOUND: async () => ({ body: { ...holder, iban: newIban(), cardholderId: unknownId("chd") } }),
      ACCOUNT_EXISTS: async (program) => {
        const request = await added(program);
        await program.call("POST /external-accounts", request);
        return request;
      },
      VALIDATION_FAILED: async () => ({
        body: {
          ...{ ...holder, accountNumber: newAccountNumber(), accountType: "checking" },
          // Its check digit is another one.
          routingNumber: routingNumber.replace(/.$/, "2"),
        },
      }),
    },
  },
  {
    route: "GET /external-accounts",
    success: async (program) => {
      await account(program);
      return { query: { status: "new" } };
    },
  },
  { route: "GET /external-accounts/{externalAccountId}", success: account },
  {
    route: "DELETE /external-accounts/{externalAccountId}",
    success: account,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const request = await account(program);
        await program.call("DELETE /external-accounts/{externalAccountId}", request);
        return request;
      },
    },
  },
  {
    route: verification,
    success: unverified,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const request = await unverified(program);
        await program.call(verification, request);
        return request;
      },
      LIMIT_REACHED: async (program) => {
        const request = await unverified(program);
        for (let times = 0; times < 3; times += 1) {
          await program.call(verification, request);
          await program.call(check, { ...request, body: { outcome: "no_match" } });
        }
        return request;
      },
    },
  },
  { route: check, success: pending, refusals: { ILLEGAL_TRANSITION: failed } },
  {
    route: confirm,
    success: told,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({ ...(await account(program)), body: { amounts: [7, 32] } }),
      // The two that came differ.
      AMOUNTS_WRONG: async (program) => ({ ...(await deposited(program)), body: { amounts: [7, 7] } }),
      VALIDATION_FAILED: async (program) => ({ ...(await deposited(program)), body: { amounts: [7, 50] } }),
    },
  },
  { route: view, success: deposited },
];
