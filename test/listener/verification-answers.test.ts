import { expect, test } from "vitest";
import { storedItems } from "../harness/stored.ts";
import { givenAddress } from "./given-address.ts";
import { givenConnection } from "./given-connection.ts";

/** A Card whose Cardholder lives there. */
async function given() {
  const connection = await givenConnection();
  const { programId } = connection;
  await givenAddress(connection);
  const stored = async () => {
    const items = await storedItems(programId);
    const hold = items.find(({ sk }) => sk === "HOLD");
    return { items, verification: hold && (hold as { verification?: object }).verification };
  };
  return { ...connection, stored };
}

const asks = (code: string) => ({ 48: `T8202529203${code}` });

test.each([
  ["94107    12 Main Street      ", "Y", { addressLine: "match", postalCode: "match" }],
  ["94108    12                  ", "A", { addressLine: "match", postalCode: "mismatch" }],
  ["94107    13                  ", "Z", { addressLine: "mismatch", postalCode: "match" }],
  ["94108", "N", { postalCode: "mismatch" }],
])("the address %s is answered %s, with the code, the same again", async (element, avs, results) => {
  const { purchase, client, send, cvv, stored } = await given();
  const message = purchase(2_500, { ...asks(cvv), 120: element });
  const { fields } = await send(message);
  expect([fields[39], fields[48]]).toEqual(["00", `T8301${avs}8701M`]);
  expect(await client.sendBytes({ ...message, mti: "0101" })).toEqual(await client.sendBytes(message));
  const { verification, items } = await stored();
  expect(verification).toMatchObject({ ...results, cvc: "match" });
  expect(JSON.stringify(items.filter(({ sk }) => sk !== "CARDHOLDER"))).not.toContain("Main Street");
});

test("a wrong code is answered N, and an address that was not sent U", async () => {
  const { purchase, send, cvv, stored } = await given();
  const wrong = cvv === "000" ? "001" : "000";
  const { fields } = await send(purchase(2_500, asks(wrong)));
  expect([fields[39], fields[48]]).toEqual(["82", "T8301U8701N"]);
  expect((await stored()).verification).toMatchObject({ cvc: "not_checked" });
});

test("a code behind a wrong date is not processed, and nothing is answered that was not asked", async () => {
  const { purchase, send, cvv } = await given();
  const late = await send(purchase(2_500, { ...asks(cvv), 14: "9901" }));
  expect([late.fields[39], late.fields[48]]).toEqual(["54", "T8301U8701P"]);
  expect((await send(purchase(1_000))).fields).not.toHaveProperty("48");
});
