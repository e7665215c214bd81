import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  shippingAddress,
} from "../../harness/given-cards.ts";

type View = Record<string, unknown> & { plasticId: string; state: string; maskedCardNumber: string };

/** What is asked of one Card and its plastics. */
export function callsOf(program: GivenProgram, cardId: string) {
  const path = { cardId };
  const sandbox = (what: string, body: object) =>
    program.call(`POST /cards/{cardId}/${what}` as never, { api: "sandbox", path, body } as never);
  const headers = (key?: string): Record<string, string> => (key ? { "Idempotency-Key": key } : {});
  return {
    ...{ path, sandbox },
    view: async () => (await program.call("GET /cards/{cardId}", { path })).body.data,
    activate: ({ maskedCardNumber, expiryMonth, expiryYear }: Record<string, unknown>) => {
      const body = { lastFour: String(maskedCardNumber).slice(-4), expiryMonth, expiryYear };
      return program.call("POST /cards/{cardId}/activate", { path, body });
    },
    buy: async (body: object = {}) => (await sandbox("authorizations", { amount: 100, ...body })).body.data,
    replace: (reason: string, key?: string, body: object = {}) =>
      program.call("POST /cards/{cardId}/replace", {
        ...{ path, body: { reason, ...body }, headers: headers(key) },
      }),
    renew: (key: string) =>
      program.call("POST /cards/{cardId}/renew", { path, body: {}, headers: headers(key) }),
    plastics: async (): Promise<View[]> =>
      (await program.call("GET /cards/{cardId}/plastics", { path })).body.items,
  };
}

/** An Active Card of a new Cardholder. */
export async function givenActive(program: GivenProgram, cardForm: 0 | 1 = 1, details: object = {}) {
  const cardholderId = await givenApprovedCardholder(program);
  const physical = cardForm === 1 && { shippingAddress };
  const { cardId } = await givenCard(program, { cardholderId, cardForm, ...physical, ...details });
  const calls = callsOf(program, String(cardId));
  if (cardForm === 1) await calls.activate(await calls.view());
  await calls.sandbox("refunds", { amount: 10_000 });
  return calls;
}

/** A Card with 100.00, of which 7.00 are held. */
export async function givenHeld(program: GivenProgram, cardForm: 0 | 1, details: object = {}) {
  const calls = await givenActive(program, cardForm, details);
  const { path, sandbox } = calls;
  const { authorizationId } = (await sandbox("authorizations", { amount: 700 })).body.data;
  return {
    ...calls,
    close: (body: object = {}) => program.call("POST /cards/{cardId}/close", { path, body }),
    updates: async (): Promise<{ kind: string }[]> =>
      (await program.call("GET /account-updates", { query: path })).body.items,
    balances: async () => {
      const { data } = (await program.call("GET /cards/{cardId}/balance", { path })).body;
      return [data.availableBalance, data.ledgerBalance];
    },
    clear: () =>
      program.call("POST /authorizations/{authorizationId}/clear", {
        ...{ path: { authorizationId }, body: {} },
      }),
  };
}

export type Held = Awaited<ReturnType<typeof givenHeld>>;
