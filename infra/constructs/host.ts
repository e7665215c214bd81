import * as z from "zod";

const hostName = z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/);
const certificateArn = z.string().regex(/^arn:aws:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]{36}$/);

/** A public host: its name, its server certificate and the zone of its alias record. */
export const Host = z
  .strictObject({
    hostName,
    certificateArn,
    hostedZone: z
      .strictObject({ hostedZoneId: z.string().regex(/^Z[A-Z0-9]+$/), zoneName: hostName })
      .optional(),
  })
  .refine(({ hostName, hostedZone }) => !hostedZone || `.${hostName}`.endsWith(`.${hostedZone.zoneName}`), {
    error: "must be a zone that the host lies in",
    path: ["hostedZone", "zoneName"],
  });
export type Host = z.output<typeof Host>;
