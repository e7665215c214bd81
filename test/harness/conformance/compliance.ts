import { describe, expect, it } from "vitest";
import {
  type ComplianceAdapter,
  type KycOutcome,
  kycOutcomes,
} from "../../../shared/adapters/compliance-port.ts";
import type { Webhook } from "../../../shared/adapters/processor-port.ts";
import { RefusedInputError } from "../../../shared/adapters/refused-input-error.ts";
import { person } from "../person.ts";

/** A provider's messages, in its own words. */
export interface ComplianceSamples {
  readonly adapter: ComplianceAdapter;
  /** The headers of a webhook with this body that is sent at a time. */
  sign(body: string, secret: string, at: Date): Webhook["headers"];
  outcome(sessionId: string, eventId: string, outcome: KycOutcome): string;
  /** A 2xx answer to a request. */
  answer(kycUrl: string | undefined): string;
}

const secret = "whsec_c2VjcmV0LW9mLXRoZS1jb25mb3JtYW5jZS10ZXN0";
const request = {
  eventId: "kyc-1",
  sessionId: "s-1",
  cardholderId: "chd_01J9ZC3P2V8Q4N6T0B5W7XKD1C",
  applicant: person,
};

/** What every adapter of the compliance port must do. Call it in a test file of the adapter. */
export function expectComplianceConformance(samples: ComplianceSamples): void {
  const { adapter } = samples;
  const at = new Date("2026-11-20T08:00:00.000Z");

  describe("conforms to the compliance port", () => {
    it("asks with what the provider needs, the same each time", () => {
      const body = adapter.toRequest(request);
      for (const part of ["kyc-1", "s-1", request.cardholderId, "Lovelace", "1990-12-10", "SW1Y 4JH"])
        expect(body).toContain(part);
      expect(adapter.toRequest(request)).toBe(body);
      expect(adapter.toRequest({ ...request, kycToken: "share-token" })).toContain("share-token");
    });

    it("reads where the applicant continues, if the provider says it", () => {
      const kycUrl = "https://kyc.example.com/s/1";
      expect(adapter.readAnswer(samples.answer(kycUrl))?.kycUrl).toBe(kycUrl);
      expect(adapter.readAnswer(samples.answer(undefined))).toEqual({});
      expect(adapter.readAnswer("<html>")).toBeUndefined();
    });

    it("accepts what was signed with the secret less than 5 minutes ago, and nothing else", () => {
      const body = samples.outcome("s-1", "e-1", "approved");
      const headers = samples.sign(body, secret, at);
      const verify = (over: Partial<Webhook>, key = secret, now = at) =>
        adapter.verify({ headers, body, ...over }, key, now);
      expect(verify({})).toBe(true);
      expect(verify({}, secret, new Date(at.getTime() + 299_000))).toBe(true);
      expect(verify({}, secret, new Date(at.getTime() + 301_000))).toBe(false);
      expect(verify({}, "whsec_b3RoZXI=")).toBe(false);
      expect(verify({ headers: {} })).toBe(false);
      expect(verify({ body: samples.outcome("s-1", "e-1", "declined") })).toBe(false);
    });

    it.each(kycOutcomes)("reads the outcome %s", (outcome) => {
      const body = samples.outcome("s-1", "e-1", outcome);
      expect(adapter.readOutcome({ headers: {}, body })).toMatchObject({
        sessionId: "s-1",
        eventId: "e-1",
        outcome,
      });
    });

    it.each(["", "{", "null", "[]", "{}"])("cannot read %j", (body) => {
      expect(() => adapter.readOutcome({ headers: {}, body })).toThrow(RefusedInputError);
    });
  });
}
