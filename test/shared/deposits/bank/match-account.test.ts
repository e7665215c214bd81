import { beforeAll, describe, expect, it } from "vitest";
import { toCreditorReference } from "../../../../shared/contract/creditor-reference.ts";
import { namedDeposits } from "../../../../shared/deposits/bank/find-expected.ts";
import { matchAccount } from "../../../../shared/deposits/bank/match-account.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { givenStoredProgram, givenStoredWallet } from "../../../harness/given-stored.ts";

let programId: string;
let id: string;
let other: string;
let ulid: string;
let reference: string;
beforeAll(async () => {
  programId = await givenStoredProgram();
  id = await givenStoredWallet(programId);
  other = await givenStoredWallet(programId);
  ulid = id.slice(4);
  reference = toCreditorReference(id) ?? "";
});

const match = (...remittance: string[]) => matchAccount(programId, { remittance });
const idIn = async (...remittance: string[]) => (await match(...remittance))?.account.accountId;

describe("a Wallet is found by its id", () => {
  it.each([
    ["as it is", () => [id]],
    ["in lower case", () => [`top up ${id.toLowerCase()}`]],
    ...[" ", "-", ".", "/", "", "?", "+", ":", "  ", "\u00a0", "_ "].map(
      (mark) => [`with ${JSON.stringify(mark)} for _`, () => [`top up WLT${mark}${ulid}`]] as const,
    ),
    ["with letters before and behind", () => [`TOPUP${id}THANKS`]],
    ["without its prefix", () => [`for ${ulid}`]],
    ["in groups of four", () => [id.replace(/.{4}/g, "$& ")]],
    ["cut by a line break", () => [`${id.slice(0, 18)}\n${id.slice(18)}`]],
    ["cut over texts", () => [`Invoice 4711 for ${id.slice(0, 18)}`, id.slice(18)]],
    ["cut over three", () => ["x", id.slice(0, 3), id.slice(3, 9), id.slice(9), "y"]],
    ["cut by marks of fields", () => [`?20for ${id.slice(0, 20)}?21${id.slice(20)}?32NAME`]],
    ["with O for 0, and l for 1", () => [id.slice(0, 4) + ulid.replaceAll("0", "O").replaceAll("1", "l")]],
    [
      "in full width",
      () => [id.replace(/[0-9A-Z]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))],
    ],
    ["more than once", () => [id, `and ${ulid}`]],
    ["beside one that is unknown", () => [newId("card"), id]],
  ] as const)("%s", async (_, texts) => {
    expect(await idIn(...texts())).toBe(id);
  });

  it("and shows the words as they were written", async () => {
    expect((await match(`for WLT-${ulid}, please`))?.reference).toBe(`WLT-${ulid}`);
    expect((await match(`RF ${reference.slice(2, 9)} ${reference.slice(9)}.`))?.reference).toBe(
      `RF ${reference.slice(2, 9)} ${reference.slice(9)}`,
    );
  });
});

describe("a Wallet is found by its creditor reference", () => {
  it.each([
    ["as it is", () => [reference]],
    ["printed in groups", () => [`ref ${reference.toLowerCase().replace(/.{4}/g, "$& ")}`]],
    ["cut over texts, with letters around", () => [`X${reference.slice(0, 11)}`, `${reference.slice(11)}X`]],
    ["before the id of another", () => [`${other} ${reference}`]],
  ] as const)("%s", async (_, texts) => {
    expect(await idIn(...texts())).toBe(id);
  });

  it("where it belongs, before all else", async () => {
    const remittance = [id, other, toCreditorReference(other) ?? ""];
    const found = await matchAccount(programId, { creditorReferences: [id], remittance });
    expect(found?.account.accountId).toBe(id);
  });
});

describe("no Wallet is found", () => {
  it.each([
    ["without a text", () => []],
    ["with one character missing", () => [id.slice(0, -1)]],
    ["with another character", () => [id.slice(0, -1) + (id.endsWith("A") ? "B" : "A")]],
    ["of another kind's prefix", () => [`crd_${ulid}`]],
    ["for two ids", () => [`${id} ${other}`]],
    ["for two ids in two texts", () => [id, other]],
    ["for two creditor references", () => [reference, toCreditorReference(other) ?? ""]],
    ["for more ids than a payer writes", () => [id, ...[1, 2, 3, 4, 5].map(() => newId("wallet"))]],
    ["of another Program", () => [newId("wallet")]],
    [
      "by a creditor reference with a wrong character",
      () => [reference.slice(0, -1) + (reference.endsWith("A") ? "B" : "A")],
    ],
  ] as const)("%s", async (_, texts) => {
    expect(await match(...texts())).toBeUndefined();
  });

  it("for an entry whose payments cannot be told", async () => {
    expect(await matchAccount(programId, { remittance: [id], suspend: "any" })).toBeUndefined();
  });
});

it("finds the ids of deposits alike", () => {
  const [one, two] = [newId("deposit"), newId("deposit")];
  expect(
    namedDeposits([`DEP ${one.slice(4, 20)}`, `${one.slice(20)} ${two.toLowerCase()}`, one, id]),
  ).toEqual([one, two]);
});
