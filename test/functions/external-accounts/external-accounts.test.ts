import { describe, expect, it } from "vitest";
import { readAccountDetails } from "../../../shared/external-accounts/account-details.ts";
import { readExternalAccount } from "../../../shared/external-accounts/external-account.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";
import { newAccountNumber, newIban, routingNumber } from "../../harness/bank-accounts.ts";
import { type GivenProgram, givenCardholder, givenProgram } from "../../harness/given-cards.ts";
import { allStoredItems } from "../../harness/stored.ts";

const holder = { holderName: "Ada Lovelace", holderType: "person" };
const usAccount = () => ({ accountNumber: newAccountNumber(), routingNumber, accountType: "checking" });

const add = (program: GivenProgram, body: object) =>
  program.call("POST /external-accounts", { body: { ...holder, ...body } });

const faultsOf = ({ body }: { body: { errors: { path: string }[] } }) =>
  body.errors.map(({ path }) => path).toSorted();

describe("an external account", () => {
  it("keeps its number nowhere in clear, and gives it for files alone", async () => {
    const program = await givenProgram();
    const [iban, account] = [newIban(), usAccount()];
    const ids = [await add(program, { iban }), await add(program, account)].map(
      ({ body }) => body.data.externalAccountId as string,
    );
    const stored = JSON.stringify(await allStoredItems());
    expect(stored).toContain(ids[0]);
    expect(stored).not.toContain(iban);
    expect(stored).not.toContain(iban.slice(4));
    expect(stored).not.toContain(account.accountNumber);
    const { programId } = program;
    const read = await Promise.all(ids.map((id) => readExternalAccount(programId, id)));
    const details = await readAccountDetails(programId, read);
    expect(ids.map((id) => details.get(id))).toEqual([{ iban }, account]);
  });

  it("has details that open for it alone", async () => {
    const program = await givenProgram();
    const made = await Promise.all([newIban(), newIban()].map((iban) => add(program, { iban })));
    const ids = made.map(({ body }) => body.data.externalAccountId as string);
    const [one, other] = await Promise.all(ids.map((id) => readExternalAccount(program.programId, id)));
    const exchanged = { externalAccountId: other?.externalAccountId ?? "", sealed: one?.sealed as never };
    await expect(readAccountDetails(program.programId, [exchanged])).rejects.toThrow();
  });
});

describe("bad input names its field", () => {
  const valid = "DE89370400440532013000";
  it.each([
    ["a wrong check digit", { iban: "DE88370400440532013000" }, ["body.iban"]],
    ["another length than its country's", { iban: "DE8937040044053201300" }, ["body.iban"]],
    ["a country without IBANs", { iban: "US89370400440532013000" }, ["body.iban"]],
    ["an empty IBAN", { iban: " " }, ["body.iban"]],
    ["a wrong routing number", { ...usAccount(), routingNumber: "021000022" }, ["body.routingNumber"]],
    ["a routing number of zeros", { ...usAccount(), routingNumber: "000000000" }, ["body.routingNumber"]],
    ["letters in a number", { ...usAccount(), accountNumber: "12345A" }, ["body.accountNumber"]],
    ["no account", {}, ["body.accountNumber", "body.accountType", "body.routingNumber"]],
    [
      "two accounts",
      { iban: valid, ...usAccount() },
      ["body.accountNumber", "body.accountType", "body.routingNumber"],
    ],
    ["a blank name", { iban: valid, holderName: " " }, ["body.holderName"]],
  ])("%s", async (_, body, paths) => {
    const answer = await add(await givenProgram(), body);
    expect([answer.status, answer.body.code, faultsOf(answer as never)]).toEqual([
      422,
      "VALIDATION_FAILED",
      paths,
    ]);
    expect(JSON.stringify(answer.body)).not.toContain("37040044053201300");
  });
});

describe("the same account", () => {
  it("is added once by ten requests at once", async () => {
    const program = await givenProgram();
    const iban = newIban();
    const answers = await Promise.all(Array.from({ length: 10 }, () => add(program, { iban })));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    const id = made[0]?.body.data.externalAccountId;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ body }) => [body.code, body.existingId])).toEqual(
      Array.from({ length: 9 }, () => ["ACCOUNT_EXISTS", id]),
    );
  });

  it("keeps no hash of a request by which its number could be guessed", async () => {
    const program = await givenProgram();
    const body = { ...holder, ...usAccount() };
    const send = (sent: object) =>
      program.call("POST /external-accounts", { body: sent, headers: { "Idempotency-Key": "k-2" } });
    expect((await send(body)).status).toBe(200);
    const guessed = [sha256(JSON.stringify([{}, body])), sha256(body.accountNumber)];
    const stored = JSON.stringify(await allStoredItems());
    for (const one of guessed) expect(stored).not.toContain(one);
    for (const other of [{ accountNumber: newAccountNumber() }, { holderName: "Grace Hopper" }])
      expect((await send({ ...body, ...other })).body.code).toBe("IDEMPOTENCY_MISMATCH");
  });
});

describe("with a Cardholder", () => {
  it.each([
    ["Ada Lovelace", 200],
    ["LOVELACE ada", 200],
    ["Lovelace,  Ada", 200],
    ["Ada Byron", 422],
    ["Ada", 422],
  ])("%j is the person's name or not: %i", async (holderName, expected) => {
    const program = await givenProgram();
    const cardholderId = await givenCardholder(program, { firstName: "Ada", lastName: "Lovelace" });
    const answer = await add(program, { iban: newIban(), holderName, cardholderId });
    expect(answer.status).toBe(expected);
    if (expected === 422) expect(faultsOf(answer as never)).toEqual(["body.holderName"]);
    else expect(answer.body.data.cardholderId).toBe(cardholderId);
  });

  it.each([
    ["José", "García Núñez", "GARCI\u0301A NÚÑEZ, Jose\u0301", 200],
    ["José", "García Núñez", "Jose Garcia Nunez", 422],
    ["Jörg", "Groß", "GROSS JÖRG", 200],
    ["Işıl", "İnci", "inci IŞIL", 200],
    ["Ὀδυσσεύς", "Λαέρτης", "ΛΑΈΡΤΗΣ ὈΔΥΣΣΕΎΣ", 200],
    ["Ada", "Lovelace", "Ada Lovelace Lovelace", 422],
    ["Ada", "Lovelace", "Lovel aceAda", 422],
  ])(
    "%s %s in any order and case, with its accents: %j %i",
    async (firstName, lastName, holderName, status) => {
      const program = await givenProgram();
      const cardholderId = await givenCardholder(program, { firstName, lastName });
      expect((await add(program, { iban: newIban(), holderName, cardholderId })).status).toBe(status);
    },
  );
});
