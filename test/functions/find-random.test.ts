import { expect, test } from "vitest";
import { programRecords } from "../../infra/commands/audit/list-records.ts";
import { cardholderList } from "../../shared/cardholders/cardholder.ts";
import { checkList, rebuildList } from "../../shared/lists/rebuild.ts";
import { searchKey } from "../../shared/lists/search-key.ts";
import { compactNow } from "../harness/compact-now.ts";
import { injectFaults } from "../harness/faults.ts";
import { type GivenProgram, givenProgram } from "../harness/given-cards.ts";
import { person } from "../harness/person.ts";
import { type Random, randomFrom, someSeed } from "../harness/random.ts";

interface Person {
  readonly cardholderId: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
  readonly status: number;
}

const firstNames = ["Ada", "ádám", "Søren", "Anne-Marie"];
const lastNames = ["Müller", "Muller", "O’Brien", "Strauß", "Lovelace"];
const emails = ["ada@example.com", "Ada@Example.com", "b@example.com", "c@example.com", "d@example.com"];
const phones = ["+4915112345678", "+353861234567", "+4520123456"];

function drawDetails(random: Random) {
  return {
    ...{ firstName: random.pick(firstNames), lastName: random.pick(lastNames) },
    ...{ email: random.pick(emails), phone: random.pick(phones) },
  };
}

async function create(program: GivenProgram, random: Random): Promise<Person> {
  const details = drawDetails(random);
  const { body } = await program.call("POST /cardholders", { body: { ...person, ...details } });
  return { ...details, cardholderId: body.data.cardholderId, status: 4 };
}

async function change(program: GivenProgram, random: Random, before: Person): Promise<Person> {
  const path = { cardholderId: before.cardholderId };
  if (before.status === 5) return before;
  if (random.chance(0.2)) {
    expect((await program.call("DELETE /cardholders/{cardholderId}", { path })).status).toBe(200);
    return { ...before, status: 5 };
  }
  const { firstName, ...others } = drawDetails(random);
  const picked = Object.entries({ firstName, ...others }).filter(() => random.chance(0.5));
  const body = Object.fromEntries(picked.length > 0 ? picked : [["email", others.email]]);
  expect((await program.call("PUT /cardholders/{cardholderId}", { path, body })).status).toBe(200);
  return { ...before, ...body };
}

function drawQuery(random: Random): Record<string, string> {
  return {
    ...(random.chance(0.6) && { email: random.pick([...emails, "ADA@example.com", "none@example.com"]) }),
    ...(random.chance(0.4) && { phone: random.pick([...phones, "+1"]) }),
    ...(random.chance(0.3) && { name: random.pick(["mul", "ada", "o'b", "anne m", "strauss", "zz"]) }),
    ...(random.chance(0.3) && { status: random.pick(["4", "5"]) }),
  };
}

function fits({ email, phone, name, status }: Record<string, string>, one: Person): boolean {
  return (
    (email === undefined || one.email.toLowerCase() === email.toLowerCase()) &&
    (phone === undefined || one.phone === phone) &&
    (status === undefined || String(one.status) === status) &&
    (name === undefined ||
      [one.lastName, one.firstName, `${one.firstName} ${one.lastName}`].some((each) =>
        searchKey(each).startsWith(searchKey(name)),
      ))
  );
}

async function expectFound(program: GivenProgram, random: Random, people: readonly Person[]) {
  const filters = drawQuery(random);
  const sort = random.pick(["asc", "desc"]);
  const limit = 1 + random.below(7);
  const all = people.filter((one) => fits(filters, one)).map(({ cardholderId }) => cardholderId);
  const wanted = sort === "asc" ? all.toSorted() : all.toSorted().toReversed();
  const seen: string[] = [];
  for (let offset = 0; offset <= wanted.length; offset += limit) {
    const query = { ...filters, orderBy: "cardholderId", sort, limit: String(limit), offset: String(offset) };
    const { status, body } = await program.call("GET /cardholders", { query });
    expect([status, body.total]).toEqual([200, wanted.length]);
    seen.push(...body.items.map(({ cardholderId }: Person) => cardholderId));
  }
  expect([filters, seen]).toEqual([filters, wanted]);
}

test("random filters find what a plain filter finds, page by page, also of what has changed", async () => {
  const seed = someSeed();
  process.stdout.write(`seed ${seed}\n`);
  const random = randomFrom(seed);
  const program = await givenProgram();
  const list = { programId: program.programId, kind: cardholderList };
  let people: Person[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 12; count += 1) people.push(await create(program, random));
    const changed: Person[] = [];
    for (const one of people) changed.push(random.chance(0.4) ? await change(program, random, one) : one);
    people = changed;
    for (let count = 0; count < 8; count += 1) await expectFound(program, random, people);
    await compactNow(list);
    for (let count = 0; count < 4; count += 1) await expectFound(program, random, people);
  }
  const read = () => programRecords(program.programId, cardholderList);
  expect(await checkList(list, read)).toEqual([]);
  expect(await rebuildList(list, read)).toBe(true);
  for (let count = 0; count < 4; count += 1) await expectFound(program, random, people);
}, 120_000);

test("an email or a phone is found without reading other Cardholders", async () => {
  const program = await givenProgram();
  for (let index = 0; index < 30; index += 1) {
    const phone = `+49151123456${10 + index}`;
    const body = { ...person, email: `p${index}@example.com`, phone };
    await program.call("POST /cardholders", { body });
  }
  const queries: Record<string, string>[] = [{ email: "P7@example.com" }, { phone: "+4915112345617" }];
  for (const query of queries) {
    let records = 0;
    using _ = injectFaults(({ command, input }) => {
      if (command !== "BatchGetItem") return undefined;
      records += JSON.stringify(input).split('"CARDHOLDER"').length - 1;
      return undefined;
    });
    expect((await program.call("GET /cardholders", { query })).body.total).toBe(1);
    expect(records).toBe(1);
  }
});
