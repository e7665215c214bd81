import { expect, test } from "vitest";
import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler as controls } from "../../../functions/controls/handler.ts";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import type { SentVerification } from "../../../shared/contract/verification.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";
import { approve, givenReceiver } from "../../harness/given-receiver.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";
import { given as givenAsked } from "./given-decisions.ts";

const sent: SentVerification = {
  cvc: "match",
  expiry: "match",
  threeDS: "attempted",
  entryCapability: "ecommerce",
  terminalId: "T7",
  storedCredential: "initial",
};
const shown = {
  addressLine: "not_present",
  postalCode: "not_present",
  avs: "U",
  cvc: "match",
  expiry: "match",
  pin: "not_present",
  threeDS: "attempted",
  entryCapability: "ecommerce",
  terminalId: "T7",
  recurring: false,
  storedCredential: "initial",
};
const purchase = { kind: "authorization", authorizationId: "A", amount: 2_000 } as const;

/** What a caller sees of the authorization `A`. */
async function look({ programId }: Pick<Network, "programId">) {
  const caller = { programId };
  const path = { authorizationId: "A" };
  const [view, decision, list] = await Promise.all([
    replay(cards, apiEvent({ route: "GET /authorizations/{authorizationId}", path, caller })),
    replay(controls, apiEvent({ route: "GET /authorizations/{authorizationId}/decision", path, caller })),
    replay(cards, apiEvent({ route: "GET /cards/transactions", caller })),
  ]);
  const rows = list.body.items.filter(({ transType }: { transType: number }) => transType !== 18);
  return { view: view.body.data, decision: decision.body.data, rows };
}

test("what was verified is in the authorization, its decision and the transactions of its clearings", async () => {
  const network = await givenNetwork();
  await network.apply({ ...purchase, verification: sent });
  await network.apply({ kind: "clearing", authorizationId: "A", amount: 500, final: false });
  await network.apply({ kind: "clearing", authorizationId: "A", amount: 1_500 });
  const { view, decision, rows } = await look(network);
  expect(view.verification).toEqual(shown);
  expect(decision.verification).toEqual(shown);
  expect(rows.map(({ amount, verification }: never) => [amount, verification])).toEqual([
    [1_500, shown],
    [500, shown],
  ]);
});

test("it is in the question to the Program's server", async () => {
  const network = await givenAsked(approve);
  await network.apply({ ...purchase, entryMode: "recurring", verification: sent });
  const [question] = network.receiver.questions;
  expect(question?.verification).toEqual({ ...shown, recurring: true });
  expect((await look(network)).view.verification).toEqual({ ...shown, recurring: true });
});

test("a withdrawal, a force post and a stand-in's advice keep theirs", async () => {
  const network = await givenNetwork();
  const verification = { pin: "match", terminalId: "ATM1" } as const;
  await network.apply({ kind: "atm_withdrawal", amount: 100, feeAmount: 0, verification });
  await network.apply({ kind: "clearing", amount: 200, final: true, verification: { terminalId: "T2" } });
  const advice = { kind: "authorization_advice", standIn: true, authorizationId: "A", amount: 300 } as const;
  await network.apply({ ...advice, verification: { terminalId: "T3" } });
  const { view, rows } = await look(network);
  expect(view.verification).toMatchObject({ terminalId: "T3", pin: "not_present" });
  const terminals = rows.map(({ amount, verification }: never) => [
    amount,
    (verification as { terminalId?: string })?.terminalId,
  ]);
  expect(terminals).toEqual([
    [300, undefined],
    [200, "T2"],
    [100, "ATM1"],
  ]);
});

test("a failed check is a mismatch, whatever else is said", async () => {
  const network = await givenNetwork();
  await network.apply({
    ...purchase,
    failedCheck: "CVV_WRONG",
    verification: { cvc: "match", pin: "match" },
  });
  expect((await look(network)).view).toMatchObject({
    declineReason: "CVV_WRONG",
    verification: { cvc: "mismatch", pin: "match" },
  });
});

test("a PIN where no terminal takes one, or with what recurs, is recorded as it was sent", async () => {
  const network = await givenNetwork();
  const verification = { ...sent, pin: "match", entryCapability: "ecommerce" } as const;
  await network.apply({ ...purchase, entryMode: "recurring", verification });
  const verified = { pin: "match", entryCapability: "ecommerce", recurring: true };
  expect((await look(network)).view.verification).toMatchObject(verified);
});

const address = { line1: "12 Main Street", city: "Springfield", postalCode: "94107-1234", country: "US" };

/** A Card whose Cardholder lives there. */
async function givenAddress() {
  const network = await givenNetwork();
  const cardholderId = newId("cardholder");
  await network.setCard({ cardholderId });
  const person = {
    dateOfBirth: "1990-01-01",
    gender: 0,
    email: "a@example.com",
    phone: "+4420",
    altKycEnabled: 0,
  };
  const item = {
    entityId: cardholderId,
    status: 1,
    openCards: 1,
    createdAt: timestamp(),
    ...person,
    address,
  };
  await cardholders.at(network.programId, cardholderId).createNow(item as never);
  return network;
}

test.each([
  [{ line1: "12 Main St", postalCode: "94107" }, "match", "match", "Y"],
  [{ line1: "12 Main St", postalCode: "94108" }, "match", "mismatch", "A"],
  [{ line1: "13 Main St", postalCode: "94107" }, "mismatch", "match", "Z"],
  [{ line1: "13 Main St" }, "mismatch", "not_present", "N"],
])("the address %o is compared, and not kept", async (billingAddress, addressLine, postalCode, avs) => {
  const network = await givenAddress();
  expect(await network.apply({ ...purchase, billingAddress })).toMatchObject({ approved: true, avs });
  expect((await look(network)).view.verification).toMatchObject({ addressLine, postalCode, avs });
  const stored = (await network.everything()).filter(({ sk }) => sk !== "CARDHOLDER");
  expect(JSON.stringify(stored)).not.toMatch(/Main St|94107|94108/);
});

test("an address that is asked about is compared once, and not kept with the question", async () => {
  const network = await givenAddress();
  const receiver = await givenReceiver(network.programId, approve);
  const billingAddress = { line1: "12 Main St", postalCode: "94107" };
  const event = { ...purchase, eventId: "e1", billingAddress };
  expect(await network.apply(event)).toMatchObject({ approved: true, avs: "Y" });
  expect(receiver.questions[0]?.verification?.avs).toBe("Y");
  expect(await network.apply(event)).toMatchObject({ approved: true, avs: "Y" });
  const stored = (await network.everything()).filter(({ sk }) => sk !== "CARDHOLDER");
  expect(JSON.stringify(stored)).not.toMatch(/Main St|94107/);
});

test("where the sender found something else, the platform's result counts and the sender's stands beside it", async () => {
  const network = await givenAddress();
  const verification = { addressLine: "match", postalCode: "mismatch" } as const;
  const billingAddress = { line1: "12 Main St", postalCode: "94107" };
  await network.apply({ ...purchase, verification, billingAddress });
  expect((await look(network)).view.verification).toMatchObject({
    addressLine: "match",
    postalCode: "match",
    network: { postalCode: "mismatch" },
  });
});

test("a purchase without an address reads nothing for it", async () => {
  const network = await givenAddress();
  await network.apply({ ...purchase, authorizationId: "B" });
  const { cost } = await measure(() => network.apply(purchase));
  const { cost: withAddress } = await measure(() =>
    network.apply({ ...purchase, authorizationId: "C", billingAddress: { postalCode: "94107" } }),
  );
  expect([cost.roundTrips, withAddress.roundTrips]).toEqual([1, 2]);
  expect(withAddress.calls.length).toBe(cost.calls.length + 1);
});

test("a purchase of which nothing is said shows nothing, and stores no byte more", async () => {
  const network = await givenNetwork();
  await network.apply(purchase);
  await network.apply({ kind: "clearing", authorizationId: "A", amount: 2_000 });
  const { view, decision, rows } = await look(network);
  expect([view, decision, rows[0]].map((one) => "verification" in one)).toEqual([false, false, false]);
  const stored = JSON.stringify(await network.everything());
  expect(stored).not.toMatch(/verification|plasticId|tokenId|authenticationId/);
});
