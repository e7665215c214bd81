import * as z from "zod";
import { Currency } from "../contract/enums.ts";
import { isInSepa } from "../contract/iban.ts";
import { MandateSequence, type MandateView } from "../contract/pulls.ts";
import type { ExternalAccount } from "../external-accounts/external-account.ts";
import { timestamp } from "../platform/clock.ts";
import { pick } from "../platform/pick.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

const Mandate = z.object({
  programId: z.string(),
  mandateId: z.string(),
  /** The `mandateId`. */
  entityId: z.string(),
  externalAccountId: z.string(),
  reference: z.string(),
  signedAt: z.string(),
  /** The next pull's. */
  sequence: MandateSequence,
  status: z.enum(["active", "cancelled"]),
  reasonCode: z.string().optional(),
  cancelledAt: z.string().optional(),
  createdAt: z.string(),
});
export type Mandate = Readonly<z.output<typeof Mandate>>;

export const mandates = defineEntity({
  name: "mandate",
  schema: Mandate,
  key: (programId: string, externalAccountId: string, mandateId: string) => ({
    pk: `${programId}#${externalAccountId}`,
    sk: `MANDATE#${mandateId}`,
  }),
});

export const notCollected = {
  code: "outside_sepa",
  message: "must be an account in a country of SEPA: banks collect no euros elsewhere",
};

export const isCollected = ({ country, currency }: ExternalAccount) =>
  currency !== Currency.eur || isInSepa(country);

/** There is no mandate, its holder has died, or the account is closed. */
const endingCodes = new Set(["MD01", "MD07", "AC04"]);

export function endsMandate(reasonCode: string | undefined): boolean {
  return reasonCode !== undefined && endingCodes.has(reasonCode);
}

/** Cancelled before or not: the bank's word ends it. */
export function mandateEnd(
  { programId, externalAccountId, mandateId }: Pick<Mandate, "programId" | "externalAccountId" | "mandateId">,
  at: Date,
  reasonCode?: string,
): WriteAction {
  const set = {
    status: "cancelled",
    cancelledAt: timestamp(at),
    ...(reasonCode !== undefined && { reasonCode }),
  } as const;
  return mandates.at(programId, externalAccountId, mandateId).update({ set });
}

export function toMandateView(mandate: Mandate): MandateView {
  return {
    ...pick(mandate, "mandateId", "externalAccountId", "reference", "signedAt", "sequence", "status"),
    reasonCode: mandate.reasonCode,
    dateCreated: mandate.createdAt,
    dateCancelled: mandate.cancelledAt,
  };
}
