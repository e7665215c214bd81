import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { marqeta } from "../../../../shared/adapters/marqeta/marqeta.ts";
import { knownTypes } from "../../../../shared/adapters/marqeta/transaction.ts";
import { toTokenId } from "../../../../shared/platform/token-id.ts";
import { expectProcessorConformance } from "../../../harness/conformance/processor-webhook.ts";
import {
  basicAuthorization,
  jitRequest,
  marqetaTransaction,
  marqetaWebhook,
} from "../../../harness/marqeta-messages.ts";
import { readTable, toFields } from "../../../harness/rules-table.ts";

const token = "01J9ZC3P2V8Q4N6T0B5W7XKD1C";
const clearing = { type: "authorization.clearing", state: "COMPLETION" };

expectProcessorConformance({
  adapter: marqeta,
  sign: (_, secret) => basicAuthorization(secret),
  token,
  authorization: (card, reference, amount) => marqetaWebhook(marqetaTransaction(card, reference, amount)),
  clearing: (card, preceding, amount) =>
    marqetaWebhook(marqetaTransaction(card, `c-${preceding}`, amount, { ...clearing, preceding })),
  reversal: (card, preceding, amount) =>
    marqetaWebhook(
      marqetaTransaction(card, `v-${preceding}`, amount, { type: "authorization.reversal", preceding }),
    ),
  refund: (card, reference, amount) =>
    marqetaWebhook(marqetaTransaction(card, reference, amount, { type: "refund", state: "COMPLETION" })),
  question: jitRequest,
});

const programId = "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B";
const cardId = `crd_${token}`;
const findCard = async (given: string) =>
  given === token ? ({ cardId, currency: 0, network: "visa" } as const) : undefined;
const read = (...transactions: object[]) =>
  marqeta.toMessage({ headers: {}, body: marqetaWebhook(...transactions) }, { programId, findCard });
const ask = (body: string) => marqeta.toMessage({ headers: {}, body }, { programId, findCard });

const of = (type: string, options: { state?: string; preceding?: string; more?: object } = {}) =>
  marqetaTransaction(token, "t-1", 1_050, { type, ...options });

test("docs/connect-a-processor.md names each type of transaction once", () => {
  const page = readFileSync("docs/connect-a-processor.md", "utf8");
  const table = page.split("| transaction | becomes |")[1]?.split("\n\n")[0] ?? "";
  const firstColumn = table.split("\n").map((row) => row.split("|")[1] ?? "");
  const named = firstColumn.flatMap((cell) => [...cell.matchAll(/`([a-z_.-]+)`/g)].map(([, type]) => type));
  expect(named.toSorted()).toEqual(knownTypes.toSorted());
});

const table = readFileSync(new URL("transactions.txt", import.meta.url), "utf8");

describe.each(readTable(table))("$of", ({ rows }) => {
  it.each(rows)("%s", async (given = "", becomes = "", reason = "") => {
    const [type = "", ...words] = given
      .replace(" after ", " preceding_related_transaction_token=")
      .split(" ");
    const named = words.map((word) =>
      word.replace(/(?<=^preceding_related_transaction_token=)(.*)$/, '"$1"'),
    );
    const transaction = { ...of(type), ...toFields(named) };
    const [kind, ...fields] = becomes.split(" ");
    const { events, refused } = await read(...(reason ? [of("refund"), transaction] : [transaction]));
    if (reason) {
      // What can be applied is: the network has decided it.
      expect(events).toMatchObject([{ kind: "refund" }]);
      expect(refused).toEqual([expect.stringContaining(reason)]);
      return expect(refused[0]).toMatch(/^transactions\[1\] /);
    }
    expect([refused, events]).toMatchObject([[], kind === "-" ? [] : [{ kind }]]);
    for (const [name, value] of Object.entries(toFields(fields)))
      expect([name, (events[0] as never)[name]]).toEqual([name, value]);
  });
});

describe("a transaction", () => {
  it("carries the merchant, the time, the entry mode and the original amount", async () => {
    const network = { original_amount: 9.99, original_currency_code: "978" };
    const [event] = (await read(of("authorization", { more: { currency_conversion: { network } } }))).events;
    expect(event).toEqual({
      ...{ kind: "authorization_advice", eventId: "marqeta:t-1", programId, cardId, authorizationId: "t-1" },
      ...{ amount: 1_050, standIn: false, occurredAt: "2026-11-20T08:00:00.000Z", srcAmount: 999 },
      ...{ merchantName: "Corner Shop", mcc: "5411", merchantId: "123456890", merchantCity: "Oakland" },
      ...{ merchantCountry: "US", srcCurrency: "978" },
    });
  });

  it("a decline releases only what a JIT Funding request had approved", async () => {
    const state = "DECLINED";
    expect((await read(of("authorization", { state }))).events).toEqual([]);
    const more = { gpa_order: { funding: { gateway_log: { timed_out: true } } } };
    expect((await read(of("authorization", { state, more }))).events).toMatchObject([
      {
        ...{ kind: "authorization_reversal", eventId: "marqeta:t-1:declined", authorizationId: "t-1" },
        ...{ withFee: true, mayBeDone: true },
      },
    ]);
    const later = { ...more, preceding_related_transaction_token: "t-0" };
    expect((await read(of("authorization.incremental", { state, more: later }))).events).toMatchObject([
      { kind: "authorization_reversal", authorizationId: "t-0", incrementEventId: "marqeta:t-1" },
    ]);
    for (const type of ["authorization.clearing", "refund"])
      expect((await read(of(type, { state, more: later }))).events).toEqual([]);
  });
});

describe("JIT Funding", () => {
  const decided = async (body: string, result: object) =>
    (await ask(body)).answer?.({ outcome: "applied", ...result });

  it("is answered 200 with what is approved, in part too", async () => {
    const base = { token: "jit-q-1", method: "pgfs.authorization", user_token: "user-1" };
    expect(await decided(jitRequest(token, "q-1", 900), { approved: true, amount: 500 })).toEqual({
      status: 200,
      body: { jit_funding: { ...base, amount: 5 } },
    });
  });

  it.each([
    ["INSUFFICIENT_FUNDS", "INSUFFICIENT_FUNDS"],
    ["CARD_CLOSED", "CARD_TERMINATED"],
    ["CONTROL_DECLINED", "TRANSACTION_NOT_PERMITTED"],
  ])("is answered 402 for %s", async (declineReason, decline_reason) => {
    const answer = await decided(jitRequest(token, "q-1", 900), { approved: false, declineReason });
    expect(answer).toMatchObject({ status: 402, body: { jit_funding: { decline_reason } } });
  });

  it.each([
    [{ card_acceptor: { country: "XQX" }, pos: { pan_entry_mode: "CHIP" } }, ["merchantCountry"]],
    [{ card_acceptor: { country: 840 }, pos: { pan_entry_mode: "OTHER" } }, ["merchantCountry", "entryMode"]],
    [{ card_acceptor: "USA", pos: "CHIP" }, ["merchantCountry", "entryMode"]],
    [{ card_acceptor: { country: "USA", mid: 7 }, pos: { pan_entry_mode: 5 } }, ["entryMode"]],
    [{ card_acceptor: { country: " " }, pos: { pan_entry_mode: "OTHER", is_recurring: true } }, undefined],
    [{ card_acceptor: null, pos: null }, undefined],
  ])("says what of %j cannot be read: a control that lists any declines", async (more, unread) => {
    const { events } = await ask(jitRequest(token, "q-5", 900, { more }));
    expect(events).toMatchObject([{ kind: "authorization" }]);
    expect((events[0] as { unread?: string[] }).unread).toEqual(unread);
  });

  it("asks for a balance", async () => {
    const body = jitRequest(token, "q-2", 0, { type: "balanceinquiry", method: "pgfs.balanceinquiry" });
    const { events, answer } = await ask(body);
    expect(events).toMatchObject([{ kind: "balance_inquiry" }]);
    expect(
      answer?.({ outcome: "applied", availableBalance: 1_234, ledgerBalance: 2_000 }).body,
    ).toMatchObject({ jit_funding: { balances: { USD: { available_balance: 12.34, ledger_balance: 20 } } } });
  });

  it("is refused if its webhook would be: nothing is held that no webhook settles", async () => {
    const body = jitRequest(token, "q-4", 900, { type: "teleport", method: "pgfs.auth_plus_capture" });
    await expect(ask(body)).rejects.toThrow("whose webhook is not known");
  });

  it("only informs with other methods: the webhook says the same", async () => {
    const body = jitRequest(token, "q-3", 900, { method: "pgfs.authorization.capture" });
    expect(await ask(body)).toEqual({ events: [], refused: [] });
  });
});

describe("a digital wallet's token", () => {
  const digital_wallet_token = {
    token: "dwt-1",
    card_token: token,
    state: "REQUESTED",
    token_service_provider: {
      ...{ token_reference_id: "DNITHE301234567890", token_requestor_id: "40010075001" },
      ...{ token_requestor_name: "ANDROID_PAY", token_pan: "4900000000001235" },
      token_eligibility_decision: "DECISION_YELLOW",
    },
    device: {
      ...{ type: "MOBILE_PHONE", device_id: "device-1", name: "My phone", language_code: "en" },
      ip_address: "203.0.113.7",
    },
  };
  const tokenId = toTokenId(programId, "visa", "dwt-1");
  const request = (more: object = {}) =>
    of("token.activation-request", { more: { digital_wallet_token: { ...digital_wallet_token, ...more } } });
  const transitions = (...given: object[]) =>
    marqeta.toMessage(
      { headers: {}, body: JSON.stringify({ digitalwallettokentransitions: given }) },
      { programId, findCard },
    );
  const transition = (state: string, type?: string) => ({
    ...{ token: "transition-1", state, type, created_time: "2026-11-20T08:00:01Z" },
    digital_wallet_token: { token: "dwt-1", card_token: token },
  });

  it("is asked for, without its number", async () => {
    const { events, refused } = await read(request());
    expect(refused).toEqual([]);
    expect(events).toEqual([
      {
        ...{ kind: "token_request", eventId: "marqeta:t-1", programId, cardId, network: "visa" },
        ...{ occurredAt: "2026-11-20T08:00:00.000Z", wallet: "google_pay", requestorId: "40010075001" },
        ...{ requestorName: "ANDROID_PAY", tokenReference: "dwt-1", tokenLastFour: "1235" },
        device: { type: "phone", id: "device-1", name: "My phone", language: "en", ip: "203.0.113.7" },
        risk: "yellow",
      },
    ]);
    expect(JSON.stringify(events)).not.toContain("4900000000001235");
  });

  it("is asked for with what is there, and leaves out what does not fit", async () => {
    const device = { type: "TOASTER", name: "n".repeat(65), ip_address: 7 };
    const { events } = await read(request({ token_service_provider: undefined, device }));
    expect(events).toMatchObject([{ wallet: "other", requestorId: "unknown", device: { type: "other" } }]);
    expect(Object.keys((events[0] as { device: object }).device)).toEqual(["type"]);
  });

  it("that was declined at Marqeta is none", async () => {
    const declined = { ...request(), state: "DECLINED" };
    expect(await read(declined)).toEqual({ events: [], refused: [] });
  });

  it.each([
    ["SUSPENDED", undefined, "suspend"],
    ["TERMINATED", undefined, "delete"],
    ["ACTIVE", "state.reinstated", "resume"],
  ])("is %s, as its transition says", async (state, type, event) => {
    const { events, refused } = await transitions(transition(state, type));
    expect(refused).toEqual([]);
    expect(events).toEqual([
      {
        ...{ kind: "token_notice", eventId: "marqeta:transition-1", programId, cardId, tokenId, event },
        occurredAt: "2026-11-20T08:00:01.000Z",
      },
    ]);
  });

  it("is suspended, as its advice says", async () => {
    const more = { digital_wallet_token: { ...digital_wallet_token, state: "SUSPENDED" } };
    const { events } = await read(of("token.advice", { more }));
    expect(events).toMatchObject([{ kind: "token_notice", tokenId, event: "suspend" }]);
  });

  it.each([
    ["ACTIVE", "state.activated"],
    ["REQUESTED", "fulfillment.requested"],
  ])("that is %s is known already", async (state, type) => {
    expect(await transitions(transition(state, type))).toEqual({ events: [], refused: [] });
  });

  it("of an unknown Card, or without a name, is refused, beside others that apply", async () => {
    const unknown = { ...transition("SUSPENDED"), digital_wallet_token: { token: "dwt-1", card_token: "x" } };
    const unnamed = { token: "t", state: "SUSPENDED" };
    const { events, refused } = await transitions(unknown, transition("TERMINATED"), unnamed);
    expect(events).toMatchObject([{ event: "delete" }]);
    expect(refused).toEqual([
      "digitalwallettokentransitions[0] names no Card of the Program (card_token).",
      "digitalwallettokentransitions[2] lacks digital_wallet_token.",
    ]);
  });

  it("leaves a purchase as it is, which says its wallet", async () => {
    const { events } = await read(of("authorization"));
    const verification = { wallet: "google_pay" };
    const found = await read(of("authorization", { more: { digital_wallet_token } }));
    expect(found.events).toEqual([{ ...events[0], verification }]);
  });
});
