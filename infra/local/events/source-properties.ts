import { z } from "zod";
import type { Assembly, Resource } from "../interfaces.ts";
import { readProperties } from "../provision/read-properties.ts";
import { queueName } from "./async-invocations.ts";
import { compilePattern, type Pattern } from "./event-pattern.ts";

const MappingProperties = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  Enabled: z.boolean().default(true),
  BatchSize: z.number().int().positive().optional(),
  MaximumBatchingWindowInSeconds: z.number().default(0),
  FilterCriteria: z
    .strictObject({ Filters: z.array(z.strictObject({ Pattern: z.string() })).default([]) })
    .default({ Filters: [] }),
  FunctionResponseTypes: z.array(z.literal("ReportBatchItemFailures")).default([]),
  StartingPosition: z.enum(["TRIM_HORIZON", "LATEST"]).optional(),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: z.number().default(-1),
  MaximumRecordAgeInSeconds: z.number().default(-1),
  DestinationConfig: z
    .strictObject({ OnFailure: z.strictObject({ Destination: z.string() }).optional() })
    .default({}),
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.number().int().min(2).optional() }).default({}),
});

/** An event source of a function, read and checked against the template. */
export interface SourceProperties {
  name: string;
  sourceArn: string;
  functionArn: string;
  batchSize: number;
  batchingWindowSeconds: number;
  /** True where one of the filters matches, or where there is none. */
  wants: Pattern;
  reportsItemFailures: boolean;
  startingPosition: "TRIM_HORIZON" | "LATEST";
  bisects: boolean;
  /** Infinity where there is no limit, here and below. */
  maximumRetries: number;
  maximumAgeMs: number;
  failureQueue?: string;
  maximumConcurrency: number;
}

const STREAM_BATCH = 100;
const QUEUE_BATCH = 10;
/** Lambda's own pollers of a queue without a limit begin with five. */
const UNLIMITED_CONCURRENCY = 5;

/** Reads the template's event sources. Errors: a source, function, queue or filter that cannot be run. */
export function readSources(assembly: Assembly): { streams: SourceProperties[]; queues: SourceProperties[] } {
  const streams: SourceProperties[] = [];
  const queues: SourceProperties[] = [];
  for (const resource of assembly.ofType("AWS::Lambda::EventSourceMapping")) {
    const properties = readProperties(resource, MappingProperties);
    if (!properties.Enabled) continue;
    const isQueue = assembly.byArn(properties.EventSourceArn)?.type === "AWS::SQS::Queue";
    const isStream = assembly.byArn(properties.EventSourceArn.replace(/\/stream\/.*$/, "")) !== undefined;
    if (!isQueue && !isStream) {
      throw new Error(
        `${resource.logicalId}: ${properties.EventSourceArn} is no stream or queue of the template`,
      );
    }
    (isQueue ? queues : streams).push(readSource(resource, properties, assembly, isQueue));
  }
  return { streams, queues };
}

function readSource(
  { logicalId, physicalName }: Resource,
  properties: z.output<typeof MappingProperties>,
  assembly: Assembly,
  isQueue: boolean,
): SourceProperties {
  const fn = assembly
    .ofType("AWS::Lambda::Function")
    .find((each) => [each.physicalName, each.arn].includes(properties.FunctionName));
  if (fn === undefined) throw new Error(`${logicalId}: there is no function ${properties.FunctionName}`);
  const limit = (value: number, unit: number) => (value < 0 ? Number.POSITIVE_INFINITY : value * unit);
  const filters = properties.FilterCriteria.Filters.map(({ Pattern }, index) =>
    compilePattern(JSON.parse(Pattern), `${logicalId}.Filters[${index}]`),
  );
  return {
    name: physicalName,
    sourceArn: properties.EventSourceArn,
    functionArn: fn.arn,
    batchSize: properties.BatchSize ?? (isQueue ? QUEUE_BATCH : STREAM_BATCH),
    batchingWindowSeconds: properties.MaximumBatchingWindowInSeconds,
    wants: (event) => filters.length === 0 || filters.some((matches) => matches(event)),
    reportsItemFailures: properties.FunctionResponseTypes.length > 0,
    startingPosition: properties.StartingPosition ?? "TRIM_HORIZON",
    bisects: properties.BisectBatchOnFunctionError,
    maximumRetries: limit(properties.MaximumRetryAttempts, 1),
    maximumAgeMs: limit(properties.MaximumRecordAgeInSeconds, 1000),
    failureQueue: queueName(assembly, properties.DestinationConfig.OnFailure?.Destination),
    maximumConcurrency: properties.ScalingConfig.MaximumConcurrency ?? UNLIMITED_CONCURRENCY,
  };
}
