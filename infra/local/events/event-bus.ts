import { z } from "zod";
import type { SqsEngine } from "../engines/sqs.ts";
import { randomUUID } from "../randomness.ts";
import { type Assembly, isObject, queueName, type Resource, readProperties } from "../template.ts";
import type { EventParts } from "./invocations.ts";
import { compilePattern, type Pattern } from "./source-properties.ts";

export const PutEventsEntry = z.object({
  Time: z.number().optional(),
  Source: z.string().optional(),
  Resources: z.array(z.string()).optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  EventBusName: z.string().optional(),
});
export type PutEventsEntry = z.infer<typeof PutEventsEntry>;

type PutEventsResult = { EventId: string } | { ErrorCode: string; ErrorMessage: string };

export interface EventBus {
  /** Like EventBridge, returns failed entries, which the sender must retry. */
  put(entry: PutEventsEntry): Promise<PutEventsResult>;
}

/** Values of the event, by path, in a template of JSON. */
const InputTransformer = z.strictObject({
  InputPathsMap: z.record(z.string(), z.string().regex(/^\$(\.\w+)+$/)),
  InputTemplate: z.string(),
});
type InputTransformer = z.infer<typeof InputTransformer>;

const RuleProperties = z.object({
  EventBusName: z.string().default("default"),
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  Targets: z
    .array(
      z.object({
        Arn: z.string(),
        DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
        InputTransformer: InputTransformer.optional(),
      }),
    )
    .default([]),
});

interface Rule {
  bus: string;
  matches: Pattern;
  /** Each resolves when the event is on disk in the target's queue or its dead-letter queue. */
  deliver: ((event: unknown) => Promise<void>)[];
}

/** Creates the event buses with rules whose targets are queues. Throws for an unsupported rule. */
export function createEventBus({ assembly, engine, clock, trace }: EventParts): EventBus {
  const named = assembly.ofType("AWS::Events::EventBus").map((bus) => bus.physicalName);
  const buses = new Set(["default", ...named]);
  const rules = assembly.ofType("AWS::Events::Rule").flatMap((rule) => readRule(rule, assembly, engine));
  const missing = rules.find(({ bus }) => !buses.has(bus));
  if (missing !== undefined) throw new Error(`There is no bus ${missing.bus} in the template`);
  return {
    put: async (entry) => {
      const bus = toBusName(entry.EventBusName ?? "default");
      const fault = faultOf(entry, buses);
      if (fault !== undefined) return fault;
      const event = {
        version: "0",
        id: randomUUID(),
        "detail-type": entry.DetailType,
        source: entry.Source,
        account: assembly.account,
        time: new Date(entry.Time === undefined ? clock.now() : entry.Time * 1000)
          .toISOString()
          .replace(/\.\d+/, ""),
        region: assembly.region,
        resources: entry.Resources ?? [],
        detail: parseObject(entry.Detail),
      };
      const matching = rules.filter((rule) => rule.bus === bus && rule.matches(event));
      try {
        for (const deliver of matching.flatMap((rule) => rule.deliver)) await deliver(event);
      } catch (error) {
        return rejected("InternalFailure", error instanceof Error ? error.message : String(error));
      }
      const detail = { detailType: String(entry.DetailType), id: event.id, rules: matching.length };
      trace.record({ kind: "bus-event", name: bus, detail });
      return { EventId: event.id };
    },
  };
}

function readRule(resource: Resource, assembly: Assembly, engine: SqsEngine): Rule[] {
  const { EventPattern, State, EventBusName, Targets } = readProperties(resource, RuleProperties);
  if (EventPattern === undefined || State === "DISABLED") return [];
  return [
    {
      bus: toBusName(EventBusName),
      matches: compilePattern(EventPattern, `${resource.logicalId}.EventPattern`),
      deliver: Targets.map(({ Arn, DeadLetterConfig, InputTransformer }) => {
        const queue = queueName(assembly, Arn);
        const deadLetters = queueName(assembly, DeadLetterConfig?.Arn);
        return async (event) => {
          const body = JSON.stringify(event);
          try {
            await engine.send(queue, { body: InputTransformer ? transform(event, InputTransformer) : body });
          } catch (error) {
            if (deadLetters === undefined) throw error;
            const text = (StringValue: string) => ({ DataType: "String", StringValue });
            const attributes = {
              RULE_ARN: text(resource.arn),
              TARGET_ARN: text(Arn),
              ERROR_CODE: text("SDK_CLIENT_ERROR"),
              ERROR_MESSAGE: text(error instanceof Error ? error.message : String(error)),
            };
            await engine.send(deadLetters, { body, attributes });
          }
        };
      }),
    },
  ];
}

/** Throws for a path that the event does not have: a target that needs it would not understand. */
function transform(event: unknown, { InputPathsMap, InputTemplate }: InputTransformer): string {
  const body = InputTemplate.replace(/<([\w-]+)>/g, (_, name: string) => {
    const path = InputPathsMap[name]?.split(".").slice(1) ?? [];
    const value = path.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), event);
    if (value === undefined) throw new Error(`The event has no ${InputPathsMap[name]}.`);
    return JSON.stringify(value);
  });
  JSON.parse(body);
  return body;
}

function faultOf(entry: PutEventsEntry, buses: ReadonlySet<string>): PutEventsResult | undefined {
  const missing = (["Source", "DetailType", "Detail"] as const).find((name) => !entry[name]);
  if (missing !== undefined) {
    const reason = `Parameter ${missing} is not valid. Reason: ${missing} is a required argument.`;
    return rejected("InvalidArgument", reason);
  }
  if (parseObject(entry.Detail) === undefined) return rejected("MalformedDetail", "Detail is malformed.");
  const bus = toBusName(entry.EventBusName ?? "default");
  if (buses.has(bus)) return undefined;
  return rejected("NotAuthorizedForSourceException", `There is no event bus ${bus}.`);
}

function rejected(ErrorCode: string, ErrorMessage: string): PutEventsResult {
  return { ErrorCode, ErrorMessage };
}

function toBusName(nameOrArn: string): string {
  return nameOrArn.split("/").at(-1) ?? nameOrArn;
}

function parseObject(text = ""): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
