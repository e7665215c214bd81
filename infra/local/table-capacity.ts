import { z } from "zod";
import { type Resource, readProperties, TemplateError } from "./template.ts";

const Units = z.coerce.number().int().min(1);
const Capacity = z.object({
  WriteOnDemandThroughputSettings: z.strictObject({ MaxWriteRequestUnits: Units }).optional(),
  WarmThroughput: z
    .strictObject({ ReadUnitsPerSecond: Units.optional(), WriteUnitsPerSecond: Units.optional() })
    .optional(),
});
const ReplicaCapacity = z.object({
  ReadOnDemandThroughputSettings: z.strictObject({ MaxReadRequestUnits: Units }).optional(),
  ContributorInsightsSpecification: z
    .strictObject({
      Enabled: z.boolean(),
      Mode: z.enum(["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]).optional(),
    })
    .optional(),
});
const IndexName = z.string();
const Table = Capacity.extend({
  BillingMode: z.enum(["PAY_PER_REQUEST", "PROVISIONED"]).default("PROVISIONED"),
  GlobalSecondaryIndexes: z.array(Capacity.extend({ IndexName })).default([]),
  Replicas: z
    .array(
      ReplicaCapacity.extend({
        GlobalSecondaryIndexes: z.array(ReplicaCapacity.extend({ IndexName })).default([]),
      }),
    )
    .default([]),
});

/**
 * The engines limit nothing, but a template whose limits AWS would refuse is refused here too.
 * @throws TemplateError
 */
export function checkCapacity(resource: Resource): void {
  const table = readProperties(resource, Table);
  const { BillingMode, GlobalSecondaryIndexes: indexes, Replicas: replicas } = table;
  const ofIndex = (name: string) =>
    replicas.flatMap(({ GlobalSecondaryIndexes }) =>
      GlobalSecondaryIndexes.filter((one) => one.IndexName === name),
    );
  const parts = [
    { own: table, each: replicas },
    ...indexes.map((index) => ({ own: index, each: ofIndex(index.IndexName) })),
  ];
  for (const { own, each } of parts) {
    const { WriteOnDemandThroughputSettings: writes, WarmThroughput: warm } = own;
    const reads = each.flatMap((one) => one.ReadOnDemandThroughputSettings ?? []);
    if ((writes || reads.length > 0) && BillingMode !== "PAY_PER_REQUEST")
      throw new TemplateError(`${resource.logicalId}: a maximum throughput is only for on-demand tables`);
    const isAbove = (warmed = 0, most = Number.POSITIVE_INFINITY) => warmed > most;
    if (
      isAbove(warm?.WriteUnitsPerSecond, writes?.MaxWriteRequestUnits) ||
      reads.some((read) => isAbove(warm?.ReadUnitsPerSecond, read.MaxReadRequestUnits))
    )
      throw new TemplateError(`${resource.logicalId}: WarmThroughput is above the maximum throughput`);
  }
}
