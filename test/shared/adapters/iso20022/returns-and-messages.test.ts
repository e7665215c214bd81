import { describe, expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import { collectedOn, returnOf } from "./camt.ts";

const account = "DE89370400440532013000";
const read = (text: string) => iso20022.readFile(Buffer.from(text));
const eventsIn = (text: string) => {
  const found = read(text);
  if ("reason" in found) throw new Error(found.reason);
  return found.map((one) => ("event" in one ? one.event : one.reason));
};

describe("a payment return", () => {
  it("names deposits by the bank's reference, the payer's, and the account", () => {
    const amount = `<RtrdIntrBkSttlmAmt Ccy="USD">12.50</RtrdIntrBkSttlmAmt>`;
    const text = returnOf(
      `<OrgnlTxId>E1</OrgnlTxId>${amount}${collectedOn(account)}`,
      "<OrgnlEndToEndId>P1</OrgnlEndToEndId>",
      "<RtrId>1</RtrId>",
    );
    expect(eventsIn(text)).toMatchObject([
      { kind: "returned", references: { transaction: "E1" }, account, amount: 1250, currency: "USD" },
      { kind: "returned", references: { endToEnd: "P1" } },
      "It has no reference of the original payment.",
    ]);
  });

  it("is of a whole group only if it names no transaction", () => {
    const total = `<TtlRtrdIntrBkSttlmAmt Ccy="USD">50.00</TtlRtrdIntrBkSttlmAmt></GrpHdr>`;
    const group = "<OrgnlGrpInf><OrgnlMsgId>G1</OrgnlMsgId></OrgnlGrpInf>";
    const grouped = (text: string) =>
      text.replace("</GrpHdr>", `<GrpRtr>true</GrpRtr>${total}${group}`).replace(/<TxInf><\/TxInf>/, "");
    const references = { message: "G1" };
    expect(eventsIn(grouped(returnOf("")))).toMatchObject([
      { kind: "returned", references, group: { transactions: 1 }, amount: 5000, returnId: "R1" },
    ]);
    const [one, ...others] = eventsIn(grouped(returnOf("<OrgnlTxId>T1</OrgnlTxId>")));
    expect([one, others]).toMatchObject([{ references: { ...references, transaction: "T1" } }, []]);
    expect(one).not.toHaveProperty("group");
    expect(eventsIn(grouped(returnOf("")).replace(group, ""))).toEqual([
      expect.stringContaining("OrgnlMsgId"),
    ]);
  });
});

describe("a message", () => {
  const announced = {
    type: "deposit.announced",
    eventId: "1",
    bankReference: "E1",
    reference: "text",
    amount: 1250,
    currency: "USD",
  };
  it("announces or returns a deposit", () => {
    expect(iso20022.readMessage(JSON.stringify(announced))).toEqual({
      eventId: "1",
      event: {
        kind: "deposited",
        references: { accountServicer: "E1" },
        remittance: ["text"],
        amount: 1250,
        currency: "USD",
      },
    });
    const returned = { type: "deposit.returned", eventId: "2", bankReference: "E1" };
    expect(iso20022.readMessage(JSON.stringify(returned))).toEqual({
      eventId: "2",
      event: { kind: "returned", references: { accountServicer: "E1" } },
    });
  });

  it.each([
    ["{", "body"],
    [JSON.stringify({ ...announced, type: "other" }), "type"],
    [JSON.stringify({ ...announced, amount: 12.5 }), "amount"],
    [JSON.stringify({ ...announced, currency: "usd" }), "currency"],
    [JSON.stringify({ ...announced, bankReference: undefined }), "bankReference"],
    [JSON.stringify({ ...announced, bankReference: "NONREF" }), "bankReference"],
  ])("cannot be read: %s", (body, field) => {
    expect(iso20022.readMessage(body)).toEqual({ reason: expect.stringContaining(field) });
  });
});
