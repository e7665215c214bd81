import { z } from "zod";
import { type Resource, readProperties, TemplateError } from "./template.ts";

const Units = z.coerce.number().int().min(1);
const Capacity = z.object({
  BillingMode: z.enum(["PAY_PER_REQUEST", "PROVISIONED"]).default("PROVISIONED"),
  OnDemandThroughput: z
    .strictObject({ MaxReadRequestUnits: Units.optional(), MaxWriteRequestUnits: Units.optional() })
    .optional(),
  WarmThroughput: z
    .strictObject({ ReadUnitsPerSecond: Units.optional(), WriteUnitsPerSecond: Units.optional() })
    .optional(),
  ContributorInsightsSpecification: z
    .strictObject({
      Enabled: z.boolean(),
      Mode: z.enum(["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]).optional(),
    })
    .optional(),
});
const Indexes = z.object({
  GlobalSecondaryIndexes: z.array(Capacity.omit({ BillingMode: true })).default([]),
});

/**
 * The engines limit nothing, but a template whose limits AWS would refuse is refused here too.
 * @throws TemplateError
 */
export function checkCapacity(table: Resource): void {
  const { BillingMode, ...own } = readProperties(table, Capacity);
  const { GlobalSecondaryIndexes } = readProperties(table, Indexes);
  for (const { OnDemandThroughput: maximum, WarmThroughput: warm } of [own, ...GlobalSecondaryIndexes]) {
    if (maximum && BillingMode !== "PAY_PER_REQUEST")
      throw new TemplateError(`${table.logicalId}: OnDemandThroughput is only for on-demand tables`);
    const isAbove = (warmed = 0, most = Number.POSITIVE_INFINITY) => warmed > most;
    if (
      isAbove(warm?.ReadUnitsPerSecond, maximum?.MaxReadRequestUnits) ||
      isAbove(warm?.WriteUnitsPerSecond, maximum?.MaxWriteRequestUnits)
    )
      throw new TemplateError(`${table.logicalId}: WarmThroughput is above OnDemandThroughput`);
  }
}
