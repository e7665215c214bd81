import { describe, expect, it } from "vitest";
import { RefusedInputError } from "../../../shared/adapters/refused-input-error.ts";
import { type BankAdapter, BankEvent, type BankRecord } from "../../../shared/contract/bank.ts";

export interface SampleDeposit {
  /** An IBAN. */
  readonly account: string;
  readonly bankReference: string;
  /** What the payer wrote: the id of a Card or Wallet. */
  readonly reference: string;
  readonly amountMinor: number;
}

/** A bank's files and messages, in USD. */
export interface BankSamples {
  readonly adapter: BankAdapter;
  deposits(deposits: readonly SampleDeposit[]): string;
  /** The same file, where it cannot be told what the deposit at `index` moved. */
  depositsWithFault(deposits: readonly SampleDeposit[], index: number): string;
  returned(bankReference: string): string;
  announced(eventId: string, deposit: SampleDeposit): string;
  returnedMessage(eventId: string, bankReference: string): string;
}

const account = "DE89370400440532013000";
const deposits = [1, 2, 3].map((number) => ({
  account,
  bankReference: `bank-${number}`,
  reference: `wlt_0000000000000000000000000${number}`,
  amountMinor: number * 1_001,
}));
const [first] = deposits as [SampleDeposit];

/** What every adapter of the bank port must do. Call it in a test file of the adapter. */
export function expectBankConformance(samples: BankSamples): void {
  const { adapter } = samples;
  const read = (text: string) => adapter.readFile(Buffer.from(text));
  const recordsIn = (text: string): readonly BankRecord[] => {
    const found = read(text);
    if ("reason" in found) throw new Error(found.reason);
    return found;
  };
  const eventOf = (found: object) => ("event" in found ? BankEvent.parse(found.event) : found);

  describe("conforms to the bank port", () => {
    it("reads each deposit of a file once, in order, and alike each time", () => {
      const file = samples.deposits(deposits);
      const events = recordsIn(file).map(eventOf);
      expect(events).toMatchObject(
        deposits.map(({ bankReference, reference, amountMinor: amount }) => ({
          ...{
            kind: "deposited",
            account,
            references: { accountServicer: bankReference },
            amount,
            currency: "USD",
          },
          remittance: expect.arrayContaining([expect.stringContaining(reference)]),
        })),
      );
      expect(recordsIn(file).map(eventOf)).toEqual(events);
    });

    it("knows a deposit by the same reference in a file and in a message", () => {
      const message = eventOf(adapter.readMessage(samples.announced("event-1", first)));
      const [inFile] = recordsIn(samples.deposits([first])).map(eventOf);
      const { bankReference, amountMinor: amount } = first;
      for (const event of [message, inFile])
        expect(event).toMatchObject({
          kind: "deposited",
          references: { accountServicer: bankReference },
          amount,
          currency: "USD",
        });
      expect(adapter.readMessage(samples.announced("event-1", first))).toMatchObject({ eventId: "event-1" });
    });

    it("names the deposit that is returned", () => {
      const { bankReference } = first;
      const returned = { kind: "returned", references: { transaction: bankReference } };
      expect(recordsIn(samples.returned(bankReference)).map(eventOf)).toMatchObject([returned]);
      const message = samples.returnedMessage("event-2", bankReference);
      expect(adapter.readMessage(message)).toMatchObject({
        eventId: "event-2",
        event: { kind: "returned", references: { accountServicer: bankReference } },
      });
    });

    it("refuses a record alone, with a reason and its input; the others count", () => {
      const records = recordsIn(samples.depositsWithFault(deposits, 1));
      expect(records.map((record) => "event" in record)).toEqual([true, false, true]);
      expect(records[1]).toMatchObject({
        reason: expect.stringMatching(/./),
        input: expect.stringMatching(/./),
      });
    });

    it("refuses a file that ends too early as a whole, wherever it ends", () => {
      const file = samples.deposits(deposits).trimEnd();
      for (let cut = 1; cut < file.length; cut += Math.ceil(file.length / 50)) {
        expect(read(file.slice(0, -cut)), `${cut} characters are missing`).toEqual({
          record: expect.any(Number),
          reason: expect.stringMatching(/./),
        });
      }
    });

    it.each(["", "no file", "{}", "<", "\u0000\u0001", '{"type":"deposit.announced"}'])(
      "refuses what is neither file nor message: %j",
      (text) => {
        expect(read(text)).toMatchObject({ reason: expect.stringMatching(/./) });
        expect(() => adapter.readMessage(text)).toThrow(RefusedInputError);
      },
    );
  });
}
