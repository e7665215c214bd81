import { describe, expect, it } from "vitest";
import { dialects } from "../../../../shared/adapters/iso8583/dialects.ts";
import { orFaulty, readRequest } from "../../../../shared/adapters/iso8583/request.ts";
import { readTokenMessage, toTokenEvent } from "../../../../shared/adapters/iso8583/tokens/token-message.ts";
import { toTokenId } from "../../../../shared/platform/token-id.ts";
import { tokenFields } from "../../../listener/given-connection.ts";

const now = new Date("2026-11-28T12:00:00Z");
const card = { programId: "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B", cardId: "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1C" };
const identity = {
  2: "4000001234567899",
  3: "330000",
  7: "1128120000",
  11: "000001",
  32: "12345",
  37: "REF000001000",
};
const read = (fields: Readonly<Record<number, string>>, mti = "0100") =>
  orFaulty(() => readTokenMessage({ mti, fields: { ...identity, ...fields } }, dialects.default, now));
const readPurchase = (fields: Readonly<Record<number, string>>) =>
  readRequest({ mti: "0100", fields: { ...identity, ...fields } }, dialects.default, now);
const toEvent = (fields: Readonly<Record<number, string>>, mti?: string) => {
  const request = read(fields, mti);
  if (request.is !== "token_request" && request.is !== "token_notice")
    throw new Error(JSON.stringify(request));
  return toTokenEvent(request, card);
};

const common = {
  ...card,
  eventId: expect.stringMatching(/^0100:.*:crd_/),
  occurredAt: "2026-11-28T12:00:00.000Z",
};

describe("a request for a token", () => {
  it("says who asks for what device, and only the last digits of the token's number", () => {
    const event = toEvent(tokenFields("DNITHE1"));
    expect(event).toEqual({
      ...common,
      kind: "token_request",
      network: "visa",
      wallet: "apple_pay",
      requestorId: "40010030273",
      tokenReference: "DNITHE1",
      tokenLastFour: "1235",
      device: { type: "phone", id: "phone-1", name: "Ada's phone", language: "en-GB", ip: "203.0.113.7" },
      risk: "green",
      // Neither expiry nor code was typed: any plastic with the number.
      ...{ plasticId: expect.stringMatching(/^plc_/), anyOfNumber: true },
    });
    expect(JSON.stringify(event)).not.toContain("4900000000001235");
  });

  it("can lack all but token and requestor", () => {
    const subelement = "0611501390592390907DM-1234";
    const event = toEvent({ 2: "5100001234567899", 48: `T33${subelement.length}${subelement}` });
    const { kind, network, wallet, tokenReference, ...more } = event as never as Record<string, unknown>;
    expect([kind, network, wallet, tokenReference]).toEqual([
      "token_request",
      "mastercard",
      "samsung_pay",
      "DM-1234",
    ]);
    for (const field of ["device", "risk", "tokenLastFour"]) expect(more).not.toHaveProperty(field);
  });

  it.each([
    ["no subelement 33", "T6105 0000", "subfield 09"],
    ["no reference", "T3315061140010030273", "subfield 09"],
    ["no requestor", "T33130909DNITHE123", "subfield 06"],
    ["a length beyond its end", "T3399091", "subfield 09"],
  ])("with %s is refused, naming DE48", (_, additional, named) => {
    const fault = { field: 48, reason: expect.stringContaining(named) };
    expect(read({ 48: additional })).toEqual({ is: "faulty", fault });
  });

  it("leaves out what does not fit", () => {
    const { device } = toEvent({
      ...tokenFields("DNITHE1", { "01": "X", "03": "N".repeat(65), "04": "", "05": "x\u0001y", "06": "?" }),
    }) as never;
    expect(device).toEqual({ type: "other", id: "phone-1" });
  });
});

describe("a notice of a token", () => {
  it.each([
    ["S", "suspend"],
    ["R", "resume"],
    ["D", "delete"],
  ])("%s is %s, of the token of the request", (sign, event) => {
    expect(toEvent(tokenFields("DNITHE1", { "07": sign }), "0620")).toEqual({
      ...common,
      eventId: expect.stringMatching(/^0620:.*:crd_/),
      kind: "token_notice",
      tokenId: toTokenId(card.programId, "visa", "DNITHE1"),
      event,
    });
  });

  it.each(["", "X"])("that says %j is refused, naming DE124", (sign) => {
    expect(read(tokenFields("DNITHE1", { "07": sign }), "0620")).toMatchObject({
      is: "faulty",
      fault: { field: 124 },
    });
  });
});

describe("a purchase", () => {
  it("names its token", () => {
    const purchase = { ...tokenFields("DNITHE1"), 3: "000000", 4: "000000001000", 22: "071", 49: "840" };
    expect(readPurchase(purchase)).toMatchObject({ is: "authorization", tokenReference: "DNITHE1" });
    expect(readPurchase({ ...purchase, 48: "T" })).not.toHaveProperty("tokenReference");
  });
});
