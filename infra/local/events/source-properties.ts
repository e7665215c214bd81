import { z } from "zod";
import { type Assembly, queueName, type Resource, readProperties, TemplateError } from "../template.ts";
import { compilePattern, type Pattern } from "./event-pattern.ts";

const MappingProperties = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  Enabled: z.boolean().default(true),
  BatchSize: z.number().int().positive().optional(),
  MaximumBatchingWindowInSeconds: z.number().int().min(0).default(0),
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

export interface SourceProperties {
  name: string;
  sourceArn: string;
  /** The function, or the alias, that the source invokes. */
  functionArn: string;
  functionName: string;
  batchSize: number;
  /** Whether a stream's records from before the first start are left out: in a second region. */
  startsAtEnd: boolean;
  /** How long a stream's records are collected. */
  windowMs: number;
  wants: Pattern;
  reportsItemFailures: boolean;
  bisects: boolean;
  /** Infinity means no limit, here and below. */
  maximumRetries: number;
  maximumAgeMs: number;
  failureQueue: string | undefined;
  maximumConcurrency: number;
}

const streamBatch = 100;
const queueBatch = 10;
/** Lambda starts with five pollers for a queue without a limit. */
const defaultConcurrency = 5;

/**
 * Reads the template's event sources. Throws for an unsupported source, function, queue or filter.
 */
export function readSources(assembly: Assembly): { streams: SourceProperties[]; queues: SourceProperties[] } {
  const streams: SourceProperties[] = [];
  const queues: SourceProperties[] = [];
  for (const resource of assembly.ofType("AWS::Lambda::EventSourceMapping")) {
    const properties = readProperties(resource, MappingProperties);
    if (!properties.Enabled) continue;
    const { EventSourceArn, FilterCriteria } = properties;
    const isQueue = assembly.byArn(EventSourceArn)?.type === "AWS::SQS::Queue";
    const isStream = assembly.byArn(EventSourceArn.replace(/\/stream\/.*$/, "")) !== undefined;
    if (!isQueue && !isStream) {
      throw new Error(`${resource.logicalId}: ${EventSourceArn} is no stream or queue of the template`);
    }
    if (isQueue && FilterCriteria.Filters.length > 0)
      throw new TemplateError(`${resource.logicalId}: a filter of a queue is not known to the local target`);
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
  const fn = ["AWS::Lambda::Function", "AWS::Lambda::Alias"]
    .flatMap(assembly.ofType)
    .find((each) => [each.physicalName, each.arn].includes(properties.FunctionName));
  if (fn === undefined) throw new Error(`${logicalId}: there is no function ${properties.FunctionName}`);
  const { OnFailure: failures } = properties.DestinationConfig;
  const limit = (value: number, unit: number) => (value < 0 ? Number.POSITIVE_INFINITY : value * unit);
  const filters = properties.FilterCriteria.Filters.map(({ Pattern }, index) =>
    compilePattern(JSON.parse(Pattern), `${logicalId}.Filters[${index}]`),
  );
  return {
    name: physicalName,
    sourceArn: properties.EventSourceArn,
    functionArn: fn.arn,
    functionName: fn.physicalName.split(":")[0] ?? "",
    batchSize: properties.BatchSize ?? (isQueue ? queueBatch : streamBatch),
    startsAtEnd: properties.StartingPosition === "LATEST",
    windowMs: properties.MaximumBatchingWindowInSeconds * 1000,
    wants: (event) => filters.length === 0 || filters.some((matches) => matches(event)),
    reportsItemFailures: properties.FunctionResponseTypes.length > 0,
    bisects: properties.BisectBatchOnFunctionError,
    maximumRetries: limit(properties.MaximumRetryAttempts, 1),
    maximumAgeMs: limit(properties.MaximumRecordAgeInSeconds, 1000),
    failureQueue: failures && queueName(assembly, failures.Destination),
    maximumConcurrency: properties.ScalingConfig.MaximumConcurrency ?? defaultConcurrency,
  };
}
