import { describe, expect, it } from "vitest";
import type { KnownCard, ProcessorAdapter, Webhook } from "../../../shared/adapters/processor-port.ts";
import { RefusedInputError } from "../../../shared/adapters/refused-input-error.ts";
import { ProcessorEvent } from "../../../shared/contract/processor.ts";

/** A processor's messages. `token` names the Card, `reference` the authorization. */
export interface ProcessorSamples {
  readonly adapter: ProcessorAdapter;
  /** The headers of a webhook with this body. */
  sign(body: string, secret: string): Webhook["headers"];
  readonly token: string;
  authorization(token: string, reference: string, amountMinor: number): string;
  clearing(token: string, reference: string, amountMinor: number): string;
  reversal(token: string, reference: string, amountMinor: number): string;
  refund(token: string, reference: string, amountMinor: number): string;
  /** A question whose sender waits, if the processor asks any. */
  question?(token: string, reference: string, amountMinor: number): string;
}

const programId = "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B";
const card: KnownCard = { cardId: "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1C", currency: 0, network: "visa" };
const secret = "whsec_c2VjcmV0LW9mLXRoZS1jb25mb3JtYW5jZS10ZXN0";

/** What every adapter of the processor port must do. Call it in a test file of the adapter. */
export function expectProcessorConformance(samples: ProcessorSamples): void {
  const { adapter, token } = samples;
  const findCard = async (given: string) => (given === token ? card : undefined);
  const toMessage = (body: string) => adapter.toMessage({ headers: {}, body }, { programId, findCard });
  const readOne = async (body: string) => {
    const { events, refused } = await toMessage(body);
    expect(refused).toEqual([]);
    expect(events).toHaveLength(1);
    const [event] = events;
    expect(ProcessorEvent.parse(event)).toEqual(event);
    expect(event).toMatchObject({ programId, cardId: card.cardId });
    return event as ProcessorEvent & { readonly authorizationId?: string; readonly amount?: number };
  };

  describe("conforms to the processor port", () => {
    it("accepts what was signed with the secret, and nothing else", () => {
      const body = samples.authorization(token, "a-1", 2_500);
      const headers = samples.sign(body, secret);
      const at = new Date();
      expect(adapter.verify({ headers, body }, secret, at)).toBe(true);
      expect(adapter.verify({ headers, body }, `${secret}x`, at)).toBe(false);
      expect(adapter.verify({ headers: {}, body }, secret, at)).toBe(false);
    });

    it("ties a clearing, a reversal and their authorization together", async () => {
      const held = await readOne(samples.authorization(token, "a-1", 2_500));
      const cleared = await readOne(samples.clearing(token, "a-1", 2_400));
      const released = await readOne(samples.reversal(token, "a-1", 100));
      expect([held.kind, cleared.kind, released.kind]).toEqual([
        "authorization_advice",
        "clearing",
        "authorization_reversal",
      ]);
      expect([held.amount, cleared.amount, released.amount]).toEqual([2_500, 2_400, 100]);
      expect(new Set([held, cleared, released].map((one) => one.authorizationId)).size).toBe(1);
      expect(new Set([held, cleared, released].map((one) => one.eventId)).size).toBe(3);
      const other = await readOne(samples.authorization(token, "a-2", 2_500));
      expect(other.authorizationId).not.toBe(held.authorizationId);
    });

    it("gives a repeated message the same eventId, and another one another", async () => {
      const first = await readOne(samples.refund(token, "r-1", 700));
      expect(await readOne(samples.refund(token, "r-1", 700))).toEqual(first);
      expect((await readOne(samples.refund(token, "r-2", 700))).eventId).not.toBe(first.eventId);
    });

    it("refuses a message of a Card that it does not know, and says so", async () => {
      const { events, refused } = await toMessage(samples.authorization("unknown", "a-3", 100));
      expect(events).toEqual([]);
      expect(refused).toHaveLength(1);
    });

    it.each(["", "[", "null", "3", '"text"', "[]"])("cannot read %j", async (body) => {
      await expect(toMessage(body)).rejects.toThrow(RefusedInputError);
    });

    const { question } = samples;
    if (question) {
      it("answers a question with what was decided; its webhook is the same event", async () => {
        const body = question(token, "q-1", 900);
        const { events, answer } = await toMessage(body);
        const [asked] = events;
        expect(asked).toMatchObject({ kind: "authorization", amount: 900 });
        const approved = answer?.({ outcome: "applied", approved: true, amount: 900 });
        const declined = answer?.({ outcome: "applied", approved: false, amount: 0 });
        expect(approved?.status).toBe(200);
        expect(declined).not.toEqual(approved);
        const told = await readOne(samples.authorization(token, "q-1", 900));
        expect([told.eventId, told.authorizationId]).toEqual([
          asked?.eventId,
          (asked as typeof told).authorizationId,
        ]);
      });
    }
  });
}
