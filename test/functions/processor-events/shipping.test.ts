import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type GivenProgram, givenCard, givenProgram, shippingAddress } from "../../harness/given-cards.ts";
import { illegal, unknown } from "./given-processor.ts";

const physical = { cardForm: 1, shippingAddress };
const applied = { outcome: "applied" };

type Report = Partial<Extract<ProcessorEvent, { kind: "card_shipping" }>>;

function report({ programId }: GivenProgram, cardId: string, more: Report) {
  return handler({
    eventId: newId("event"),
    programId,
    kind: "card_shipping",
    cardId,
    status: "shipped",
    ...more,
  });
}

async function shippingOf(program: GivenProgram, cardId: string) {
  return (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data.shipping;
}

describe("card_shipping", () => {
  it("a physical Card is pending, shipped, delivered; a repetition changes nothing", async () => {
    const program = await givenProgram();
    const { cardId, shipping, createdDatetime } = await givenCard(program, physical);
    expect(shipping).toEqual({ status: "pending", dateUpdated: createdDatetime });
    const event = { eventId: "shipped-1", trackingNumber: "T1", carrier: "DHL" };
    for (const _ of [1, 2]) expect(await report(program, cardId, event)).toEqual(applied);
    const shipped = await shippingOf(program, cardId);
    expect(shipped).toMatchObject({ status: "shipped", trackingNumber: "T1", carrier: "DHL" });
    expect(await report(program, cardId, { status: "delivered" })).toEqual(applied);
    expect(await report(program, cardId, event)).toEqual(applied);
    expect(await shippingOf(program, cardId)).toMatchObject({
      ...shipped,
      status: "delivered",
      dateUpdated: expect.any(String),
    });
  });

  it("of reports at once, all count", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program, physical);
    const reports: Report[] = [{ trackingNumber: "T1" }, { status: "delivered" }, { status: "returned" }];
    const results = await Promise.all(reports.map((one) => report(program, cardId, one)));
    expect(results).toEqual([applied, applied, applied]);
    expect(await shippingOf(program, cardId)).toMatchObject({ status: "returned", trackingNumber: "T1" });
  });

  it("refuses a virtual card, which shows no shipping, and a declined one", async () => {
    const program = await givenProgram();
    const { cardId, ...card } = await givenCard(program);
    expect(card).not.toHaveProperty("shipping");
    expect(await report(program, cardId, {})).toEqual(illegal);
    expect(await shippingOf(program, cardId)).toBeUndefined();
    const manual = await givenProgram({ settings: { issuanceApproval: 1 } });
    const declined = (await givenCard(manual, physical)).cardId;
    expect(await report(manual, declined, {})).toEqual(unknown);
    const path = { cardId: declined };
    const inSandbox = () =>
      manual.call("POST /cards/{cardId}/shipping", { path, body: { status: "shipped" } });
    expect((await inSandbox()).body.code).toBe("ILLEGAL_TRANSITION");
    await manual.call("POST /cards/{cardId}/approval", { path, body: { cardStatus: 2 } });
    expect(await report(manual, declined, {})).toEqual(illegal);
    expect((await inSandbox()).body.code).toBe("ILLEGAL_TRANSITION");
  });

  it("waits for an unknown Card, and reads no status that is none", async () => {
    const program = await givenProgram();
    expect(await report(program, newId("card"), {})).toEqual(unknown);
    await expect(report(program, newId("card"), { status: "pending" as never })).rejects.toThrow("status");
  });

  it("the sandbox reports in order, and ships again", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program, physical);
    for (const status of ["shipped", "returned", "shipped"]) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const body = { status, ...(status === "shipped" && { trackingNumber: newId("event") }) };
      const answer = await program.call("POST /cards/{cardId}/shipping", { path: { cardId }, body });
      expect(answer.body.data.shipping).toMatchObject({ ...body, dateUpdated: expect.any(String) });
    }
  });
});
