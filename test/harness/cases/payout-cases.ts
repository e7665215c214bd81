import { newIban } from "../bank-accounts.ts";
import { type GivenProgram, givenWallet } from "../given-cards.ts";
import { after, and, called, changing, type EndpointCases, type Preparation, unknownId } from "./case.ts";

/** The id of an account that is not verified. */
export async function added(program: GivenProgram): Promise<string> {
  const body = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
  return (await program.call("POST /external-accounts", { body })).body.data.externalAccountId;
}

/** An account that the bank has checked. */
export async function verified(program: GivenProgram): Promise<string> {
  const externalAccountId = await added(program);
  const path = { externalAccountId };
  const method = { method: "bank_check" };
  await program.call("POST /external-accounts/{externalAccountId}/verification", { path, body: method });
  const match = { outcome: "match", name: "Ada Lovelace" };
  await program.call("POST /external-accounts/{externalAccountId}/check", { path, body: match });
  return externalAccountId;
}

const payout: Preparation = async (program) => ({
  body: {
    walletId: await givenWallet(program, 5_000),
    externalAccountId: await verified(program),
    amount: 2_500,
    reference: "INVOICE-7",
  },
});

type Call = GivenProgram["call"];

async function made(program: GivenProgram, by: Call = program.call) {
  const { body } = await by("POST /payouts", await payout(program));
  return { path: { payoutId: body.data.payoutId as string } };
}

const pending: Preparation = (program) => made(program);

/** One that awaits its approval. The settings are as before then. */
const awaiting =
  (choose: (program: GivenProgram) => Call): Preparation =>
  async (program) => {
    const path = { programId: program.programId };
    const set = (payouts: object) =>
      program.call("PUT /account/programs/{programId}/settings", { path, body: { payouts } });
    await set({ approvalAbove: 1_000 });
    const request = await made(program, choose(program));
    await set({});
    return request;
  };

const awaitingOwn = awaiting(({ call }) => call);
const awaitingAnother = awaiting(({ callAsAnother }) => callAsAnother);

export const payoutCases: EndpointCases = {
  "POST /payouts": [
    payout,
    {
      NOT_FOUND: changing(payout, { walletId: unknownId("wlt") }),
      EXTERNAL_ACCOUNT_NOT_VERIFIED: changing(payout, async (program) => ({
        externalAccountId: await added(program),
      })),
      VALIDATION_FAILED: changing(payout, { amount: 0 }),
    },
  ],
  "GET /payouts": after(pending, { query: { status: "pending" } }),
  "GET /payouts/{payoutId}": pending,
  "GET /payouts/{payoutId}/events": pending,
  "POST /payouts/{payoutId}/cancel": pending,
  "POST /payouts/{payoutId}/approve": [
    awaitingAnother,
    {
      SECOND_PERSON: awaitingOwn,
      EXTERNAL_ACCOUNT_NOT_VERIFIED: async (program) => {
        const { path } = await awaitingAnother(program);
        const { externalAccountId } = (await program.call("GET /payouts/{payoutId}", { path })).body.data;
        await program.call("DELETE /external-accounts/{externalAccountId}", { path: { externalAccountId } });
        return { path };
      },
    },
  ],
  "POST /payouts/{payoutId}/decline": awaitingOwn,
  "POST /payment-files": {},
  "POST /payouts/{payoutId}/outcome": [
    and(pending, { body: { status: "completed" } }),
    {
      ILLEGAL_TRANSITION: and(called("POST /payouts/{payoutId}/cancel", pending), {
        body: { status: "completed" },
      }),
      VALIDATION_FAILED: and(pending, { body: { status: "returned", amount: 2_501 } }),
    },
  ],
};
