import { describe, expect, it } from "vitest";
import { operate } from "../../../harness/administration.ts";
import { givenBank, statusOf } from "./given-bank.ts";

/** A record of a camt.054. */
const record = (content: string, statement: string, entry: number, more: object = {}) => ({
  content: content.padEnd(64, "0"),
  place: { statement, entry },
  report: "camt.054",
  ...more,
});

describe("what identifies a payment", () => {
  it("is its place where no reference does: fed twice it is known, two equal ones are two", async () => {
    const { arrived, report, availableIn } = await givenBank();
    const given = (entry: number) => arrived({ bankReference: undefined, ...record("a", "S1", entry) });
    const outcomes = [];
    for (const entry of [1, 2, 1, 2]) outcomes.push(statusOf(await report(given(entry))));
    expect(outcomes).toEqual(["applied", "applied", "duplicate", "duplicate"]);
    expect(await availableIn()).toBe(2500);
  });

  it("without references, the same content in another statement may be another payment", async () => {
    const { programId, arrived, report, availableIn } = await givenBank();
    const given = (statement: string) => arrived({ bankReference: undefined, ...record("a", statement, 1) });
    const outcomes = [];
    for (const one of ["S1", "S2", "S2", "S1"]) outcomes.push(statusOf(await report(given(one))));
    expect(outcomes).toEqual(["applied", "suspense", "duplicate", "duplicate"]);
    expect(await availableIn()).toBe(1250);
    const { items } = await operate("list-suspense", { programId });
    expect(items).toMatchObject([{ reason: "POSSIBLE_DUPLICATE", amount: 1250 }]);
  });

  it("is not a reference that entries or pages of a statement share", async () => {
    const { arrived, report, availableIn } = await givenBank();
    const given = [
      arrived(record("a", "S1", 1)),
      arrived(record("b", "S1", 2)),
      arrived(record("b", "S1", 3)),
      arrived(record("b", "S1", 1, { place: { statement: "S1", page: "2", entry: 1 } })),
    ];
    const outcomes = [];
    for (const event of [...given, ...given]) outcomes.push(statusOf(await report(event)));
    expect(outcomes).toEqual([...given.map(() => "applied"), ...given.map(() => "duplicate")]);
    expect(await availableIn()).toBe(5000);
  });

  it("is a reference in a statement that is sent again under another id, as often as it was there", async () => {
    const { arrived, report, availableIn } = await givenBank();
    const outcomes = [];
    for (const statement of ["S1", "S2"])
      for (const entry of [1, 2])
        outcomes.push(statusOf(await report(arrived(record("a", statement, entry)))));
    expect(outcomes).toEqual(["applied", "applied", "duplicate", "duplicate"]);
    expect(statusOf(await report(arrived(record("a", "S2", 3))))).toBe("applied");
    expect(await availableIn()).toBe(3750);
  });

  it.each([{ amount: 9 }, { currency: "EUR" }, {}, { remittance: ["other"] }, { endToEndId: "e2" }])(
    "a reference that comes again with something else is a possible duplicate: %o",
    async (more) => {
      const { programId, arrived, report, availableIn, depositOf } = await givenBank();
      await report(arrived(record("a", "S1", 1)));
      const again = () => report(arrived({ ...record("b", "S2", 1), ...more }));
      expect([statusOf(await again()), statusOf(await again())]).toEqual(["suspense", "duplicate"]);
      expect(await availableIn()).toBe(1250);
      const [item] = (await operate("list-suspense", { programId })).items;
      const { depositId } = await depositOf();
      expect(item).toMatchObject({ reason: "POSSIBLE_DUPLICATE", duplicateOf: depositId });
      const suspenseId = item?.suspenseId ?? "";
      await operate("drop-suspense", { programId, suspenseId });
      await expect(operate("drop-suspense", { programId, suspenseId })).rejects.toThrow("not in suspense");
      expect((await operate("list-suspense", { programId })).items).toEqual([]);
      expect([statusOf(await again()), await availableIn()]).toEqual(["duplicate", 1250]);
    },
  );

  it("a statement after its notification says less of the same payment", async () => {
    const { arrived, report, availableIn } = await givenBank();
    const facts = { debtor: "1", text: "2" };
    await report(arrived({ ...record("a", "N1", 1), facts, endToEndId: "e1" }));
    const statement = (own: object) =>
      report(arrived({ ...record("b", "S1", 7), report: "camt.053", facts: own }));
    expect(statusOf(await statement({ debtor: "1", value: "3" }))).toBe("duplicate");
    expect(
      statusOf(
        await report(arrived({ ...record("c", "S2", 1), report: "camt.053", facts: { debtor: "9" } })),
      ),
    ).toBe("suspense");
    expect(await availableIn()).toBe(1250);
  });

  it.each([true, false])(
    "an entry is not credited again beside its payments (whole first: %s)",
    async (isWholeFirst) => {
      const { bankReference, arrived, report, availableIn } = await givenBank();
      const parts = [1, 2].map((detail) => {
        const references = { entry: bankReference };
        const place = { statement: "S1", entry: 1, detail };
        return arrived({
          ...record(String(detail), "S1", 1, { place }),
          bankReference: `p${detail}-${bankReference}`,
          references,
          amount: 500,
        });
      });
      const whole = arrived({ ...record("w", "S2", 1), report: "camt.053", amount: 1000 });
      const outcomes = [];
      for (const event of isWholeFirst ? [whole, ...parts] : [...parts, whole])
        outcomes.push(statusOf(await report(event)));
      expect(outcomes).toEqual(
        isWholeFirst ? ["applied", "suspense", "suspense"] : ["applied", "applied", "suspense"],
      );
      expect(await availableIn()).toBe(1000);
    },
  );

  it("of the same record in two files at once, one is booked", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { arrived, report, availableIn } = await givenBank();
      const reference = round % 2 === 0 ? {} : { bankReference: undefined };
      const event = arrived({ ...reference, ...record("a", "S1", 1) });
      const outcomes = await Promise.all([1, 2, 3].map((file) => report(event, `file#${file}`)));
      expect(outcomes.map(statusOf).toSorted()).toEqual(["applied", "duplicate", "duplicate"]);
      expect(await availableIn()).toBe(1250);
    }
  });
});
