import type { Tone } from "./page.ts";

const codes: Readonly<Record<Tone, string>> = {
  good: `active approved cleared completion done succeeded won verified uploaded delivered completed collected
    assigned authenticated exempted trusted issuing received consumed resolved shipped duplicate`,
  wait: `pending draft underReview onHold notActivated running open new pending_customer submitted representment
    pre_arbitration arbitration challenged attempted verifying awaiting_approval sent partial`,
  bad: `declined complianceDecline adminDecline error failed rejected lost revoked stopped suspended`,
  over: `closed deleted reversed returned expired removed withdrawn replaced archived cancelled`,
};

const tones = new Map(
  (Object.keys(codes) as Tone[]).flatMap((tone) =>
    codes[tone].split(/\s+/).map((code): [string, Tone] => [code, tone]),
  ),
);

/** What a status means to who reads it, by its code; undefined for one that is not named here. */
export function findTone(code: string): Tone | undefined {
  return tones.get(code);
}

const attributes = /^(status|state|cardStatus|issuerCardStatus|transStatus|otpStatus|previousStatus)$/;

export function isStatus(attribute: string): boolean {
  return attributes.test(attribute.split(".").at(-1) ?? attribute);
}
