import * as z from "zod";
import { PaymentCryptographyKeys } from "../../shared/contract/payment-cryptography.ts";
import { ListenerSettings } from "./listener/listener-settings.ts";

export const Region = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/);
const certificateArn = z.string().startsWith("arn:aws:acm:");

export const SecondRegion = z
  .strictObject({
    region: Region,
    /** Set in the deployment after the one that made the keys there. */
    hasReplicas: z.boolean(),
    /** Which region writes. `npm run failover` says when to change it. */
    writes: z.enum(["first", "second"]).default("first"),
    /** What the stacks there have instead of the first region's. Without it, there are none. */
    serves: z
      .strictObject({
        platformCertificateArn: certificateArn,
        sandboxCertificateArn: certificateArn.optional(),
        webhookCertificateArn: certificateArn,
        paymentCryptography: PaymentCryptographyKeys.optional(),
        /** Without it, no card network sends messages there. */
        listener: ListenerSettings.optional(),
      })
      .optional(),
  })
  .refine(({ hasReplicas, serves }) => hasReplicas || serves === undefined, {
    error: "Only a region with replicas can serve.",
    path: ["serves"],
  })
  .refine(
    ({ region, serves }) =>
      [
        serves?.platformCertificateArn,
        serves?.sandboxCertificateArn,
        serves?.webhookCertificateArn,
        serves?.listener?.certificateSecretArn,
      ].every((arn) => arn === undefined || arn.split(":")[3] === region),
    { error: "A server certificate is of the region of its host.", path: ["serves"] },
  );
export type SecondRegion = z.output<typeof SecondRegion>;

interface Place {
  readonly region: string;
  readonly secondRegion?: SecondRegion | undefined;
}

/** Whether the settings are those of the second region's stacks (`secondSettings`). */
export function isSecond({ region, secondRegion }: Place): boolean {
  return secondRegion?.region === region;
}

/** Takes an environment's own settings: where its functions write, its operators' commands go. */
export function writingRegion({ region, secondRegion }: Place): string {
  return secondRegion?.writes === "second" ? secondRegion.region : region;
}

/** In the other region nothing runs by itself: no stream, queue or schedule, and no alarm tells. */
export function writesHere(place: Place): boolean {
  return (place.secondRegion?.writes === "second") === isSecond(place);
}

/** A role is one for all regions: a name in the policies of keys and tables says whose it is. */
export function roleNameIn(place: Place, name: string): string {
  return isSecond(place) ? `${name}-${place.region}` : name;
}

/** The roles of this name in all regions. */
export function roleNames({ secondRegion }: Pick<Place, "secondRegion">, name: string): string[] {
  return secondRegion ? [name, `${name}-${secondRegion.region}`] : [name];
}
