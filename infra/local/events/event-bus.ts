import { z } from "zod";
import { randomUUID } from "../randomness.ts";
import { isObject, queueName, type Resource, readProperties } from "../template.ts";
import { compilePattern, type Pattern } from "./event-pattern.ts";
import type { EventParts } from "./invocations.ts";

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

/** CloudTrail records calls: a rule in any other state gets none that only reads. */
const withReads = "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS";
const isRead = compilePattern({
  "detail-type": ["AWS API Call via CloudTrail"],
  detail: { readOnly: [true] },
});

const RuleProperties = z.object({
  EventBusName: z.string().default("default"),
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  State: z.enum(["ENABLED", "DISABLED", withReads]).default("ENABLED"),
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

type BusParts = Pick<EventParts, "assembly" | "engine" | "clock" | "trace">;

interface Rule {
  bus: string;
  matches: Pattern;
  /** Each resolves when the event is with the target or its dead-letter queue. */
  deliver: ((event: unknown) => Promise<void>)[];
}

/** Creates the event buses with rules to queues and topics. Throws for an unsupported rule. */
export function createEventBus(parts: BusParts): EventBus {
  const { assembly, clock, trace } = parts;
  const named = assembly.ofType("AWS::Events::EventBus").map((bus) => bus.physicalName);
  const buses = new Set(["default", ...named]);
  const rules = assembly.ofType("AWS::Events::Rule").flatMap((rule) => readRule(rule, parts));
  const missing = rules.find(({ bus }) => !buses.has(bus));
  if (missing !== undefined) throw new Error(`There is no bus ${missing.bus} in the template`);
  return {
    put: async (entry) => {
      const bus = toBusName(entry.EventBusName ?? "default");
      const fault = findFault(entry, buses);
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

function readRule(resource: Resource, parts: BusParts): Rule[] {
  const { EventPattern, State, EventBusName, Targets } = readProperties(resource, RuleProperties);
  if (EventPattern === undefined || State === "DISABLED") return [];
  const wants = compilePattern(EventPattern, `${resource.logicalId}.EventPattern`);
  return [
    {
      bus: toBusName(EventBusName),
      matches: (event) => wants(event) && (State === withReads || !isRead(event)),
      deliver: Targets.map(({ Arn, DeadLetterConfig, InputTransformer }) => {
        const take = readTarget(Arn, resource, parts);
        const deadLetters = DeadLetterConfig && queueName(parts.assembly, DeadLetterConfig.Arn);
        return async (event) => {
          const body = JSON.stringify(event);
          try {
            await take(InputTransformer ? transform(event, InputTransformer) : body);
          } catch (error) {
            if (deadLetters === undefined) throw error;
            const text = (StringValue: string) => ({ DataType: "String", StringValue });
            const attributes = {
              RULE_ARN: text(resource.arn),
              TARGET_ARN: text(Arn),
              ERROR_CODE: text("SDK_CLIENT_ERROR"),
              ERROR_MESSAGE: text(error instanceof Error ? error.message : String(error)),
            };
            await parts.engine.send(deadLetters, { body, attributes });
          }
        };
      }),
    },
  ];
}

/** A queue; or a topic, whose messages nobody gets on this machine: the trace shows them. */
function readTarget(arn: string, { logicalId }: Resource, { assembly, engine, trace }: BusParts) {
  if (assembly.byArn(arn)?.type !== "AWS::SNS::Topic") {
    const queue = queueName(assembly, arn);
    return (body: string) => engine.send(queue, { body });
  }
  return async ({ length }: string) =>
    trace.record({ kind: "topic-message", name: arn, detail: { rule: logicalId, length } });
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

function findFault(entry: PutEventsEntry, buses: ReadonlySet<string>): PutEventsResult | undefined {
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
