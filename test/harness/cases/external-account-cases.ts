import { newAccountNumber, newIban, routingNumber } from "../bank-accounts.ts";
import { after, and, called, created, type EndpointCases, type Preparation, unknownId } from "./case.ts";

const holder = { holderName: "Ada Lovelace", holderType: "person" };
const added: Preparation = async () => ({ body: { ...holder, iban: newIban(), nickname: "Rent" } });

const account = created("POST /external-accounts", added, "externalAccountId");

const verification = "POST /external-accounts/{externalAccountId}/verification";
const check = "POST /external-accounts/{externalAccountId}/check";
const view = "GET /external-accounts/{externalAccountId}/micro-deposits";

const unverified = and(account, { body: { method: "bank_check" } });
const deposited = called(verification, account, { method: "micro_deposits" });

const told: Preparation = async (program) => {
  const request = await deposited(program);
  const { amounts } = (await program.call(view, request)).body.data;
  return { ...request, body: { amounts } };
};

export const externalAccountCases: EndpointCases = {
  "POST /external-accounts": [
    added,
    {
      NOT_FOUND: async () => ({ body: { ...holder, iban: newIban(), cardholderId: unknownId("chd") } }),
      VALIDATION_FAILED: async () => ({
        body: {
          ...{ ...holder, accountNumber: newAccountNumber(), accountType: "checking" },
          // Its check digit is another one.
          routingNumber: routingNumber.replace(/.$/, "2"),
        },
      }),
    },
  ],
  "GET /external-accounts": after(account, { query: { status: "new" } }),
  "GET /external-accounts/{externalAccountId}": account,
  "DELETE /external-accounts/{externalAccountId}": account,
  [verification]: [
    unverified,
    {
      LIMIT_REACHED: async (program) => {
        const request = await unverified(program);
        for (let times = 0; times < 3; times += 1) {
          await program.call(verification, request);
          await program.call(check, { ...request, body: { outcome: "no_match" } });
        }
        return request;
      },
    },
  ],
  [check]: and(called(verification, unverified), { body: { outcome: "close_match", name: "A. Lovelace" } }),
  "POST /external-accounts/{externalAccountId}/verification/confirm": [
    told,
    {
      ILLEGAL_TRANSITION: and(account, { body: { amounts: [7, 32] } }),
      // The two that came differ.
      AMOUNTS_WRONG: and(deposited, { body: { amounts: [7, 7] } }),
      VALIDATION_FAILED: and(deposited, { body: { amounts: [7, 50] } }),
    },
  ],
  [view]: deposited,
};
