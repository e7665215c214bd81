import { describe, expect, it } from "vitest";
import { readText } from "../../shared/adapters/iso8583/dialect.ts";
import { dialects } from "../../shared/adapters/iso8583/dialects.ts";
import {
  type Authentication,
  authenticationCreate,
  authentications,
} from "../../shared/authentications/authentication.ts";
import { cards } from "../../shared/cards/card.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { SentEvent } from "../../shared/transactions/transaction.ts";
import { vault } from "../harness/given-vault.ts";
import { again, givenConnection, later } from "./given-connection.ts";

type Dialect = "default" | "mastercard" | "visa";

/** DE48 subelement 43, or field 9 of Visa's DE126. */
function proofIn(dialect: Dialect, cavv: string): Readonly<Record<number, string>> {
  if (dialect !== "visa") return { 22: "810", 48: `R4328${cavv}` };
  const bytes = Buffer.concat([Buffer.from("0080000000000000", "hex"), Buffer.from(cavv, "base64")]);
  return { 22: "010", 60: "0000000005", 126: readText(bytes, dialects.visa) };
}

async function given(dialect: Dialect = "default") {
  const connection = await givenConnection({ dialect });
  const { programId, cardId } = connection;
  const { cardholderId = "" } = { ...(await cards.at(programId, cardId).get()) };
  const entityId = newId("authentication");
  const at = timestamp();
  const authentication: Authentication = {
    ...{ programId, entityId, cardId, cardholderId, state: "authenticated", network: "visa", currency: 0 },
    ...{ amountMinor: 2_500, merchant: { merchantName: "Corner Shop" }, channel: "browser" },
    ...{ decidedBy: "rule", createdAt: at, decidedAt: at },
  };
  await transact([authenticationCreate(authentication)]);
  const { cavv } = await vault("compute-cavv", { programId, cardId, authenticationId: entityId });
  const view = () => authentications.at(programId, entityId).require();
  const judged = async () =>
    (await connection.records()).flatMap(({ event }) => (event as SentEvent)?.verification?.threeDS ?? []);
  return { ...connection, cavv, view, judged };
}

describe("a purchase with a CAVV", () => {
  it.each(["default", "mastercard", "visa"] as const)("has its authentication (%s)", async (dialect) => {
    const { purchase, send, client, cavv, view, judged } = await given(dialect);
    const message = purchase(2_500, proofIn(dialect, cavv));
    expect((await send(message)).fields[39]).toBe("00");
    expect(await judged()).toEqual(["authenticated"]);
    const { authorizationId } = await view();
    expect(authorizationId).toBeDefined();
    const repeated = again(message);
    await client.sendBytes(repeated);
    expect((await send(purchase(100, proofIn(dialect, cavv)))).fields[39]).toBe("00");
    expect(await judged()).toEqual(["authenticated", "reused"]);
    expect((await send(later("0100", message, { 4: "000000000500" }))).fields[39]).toBe("00");
    expect((await view()).authorizationId).toBe(authorizationId);
  });

  it("that is wrong has failed, and is approved", async () => {
    const { purchase, send, cavv, view, judged } = await given();
    const bytes = Buffer.from(cavv, "base64");
    bytes[19] = (bytes[19] ?? 0) ^ 1;
    expect((await send(purchase(2_500, proofIn("default", bytes.toString("base64"))))).fields[39]).toBe("00");
    expect(await judged()).toEqual(["failed"]);
    expect((await view()).authorizationId).toBeUndefined();
  });

  it("that is filled with zeros, or is none, says nothing", async () => {
    const { purchase, send, judged } = await given();
    for (const none of [Buffer.alloc(20).toString("base64"), "?".repeat(28)])
      expect((await send(purchase(100, proofIn("default", none)))).fields[39]).toBe("00");
    expect(await judged()).toEqual([]);
  });
});
