import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { SqsEngine } from "../engines/sqs.ts";
import type { Assembly, Clock, Trace } from "../interfaces.ts";
import { readProperties } from "../provision/read-properties.ts";
import type { AsyncInvocations } from "./async-invocations.ts";
import { compilePattern, type Pattern } from "./event-pattern.ts";
import { bindTarget, type Target, TargetProperties } from "./targets.ts";

export interface EventBusOptions {
  assembly: Assembly;
  engine: SqsEngine;
  invocations: AsyncInvocations;
  clock: Pick<Clock, "now">;
  trace: Trace;
}

/** An entry of PutEvents, as the API takes it. */
export const PutEventsEntry = z.object({
  Time: z.number().optional(),
  Source: z.string().optional(),
  Resources: z.array(z.string()).optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  EventBusName: z.string().optional(),
  TraceHeader: z.string().optional(),
});
export type PutEventsEntry = z.infer<typeof PutEventsEntry>;

export type PutEventsResult = { EventId: string } | { ErrorCode: string; ErrorMessage: string };

const RuleProperties = z.object({
  EventBusName: z.string().default("default"),
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  Targets: z.array(TargetProperties).default([]),
});

interface Rule {
  name: string;
  arn: string;
  bus: string;
  matches: Pattern;
  targets: Target[];
}

/** The event buses with their rules. An event counts as put once every matching target has it on disk. */
export class EventBus {
  readonly #options: EventBusOptions;
  readonly #buses: Set<string>;
  readonly #rules: Rule[];

  constructor(options: EventBusOptions) {
    this.#options = options;
    const { assembly, engine, invocations } = options;
    this.#buses = new Set([
      "default",
      ...assembly.ofType("AWS::Events::EventBus").map((bus) => bus.physicalName),
    ]);
    this.#rules = assembly.ofType("AWS::Events::Rule").flatMap((resource): Rule[] => {
      const properties = readProperties(resource, RuleProperties);
      if (properties.EventPattern === undefined || properties.State === "DISABLED") return [];
      const bus = busName(properties.EventBusName);
      if (!this.#buses.has(bus))
        throw new Error(`${resource.logicalId}: there is no bus ${bus} in the template`);
      return [
        {
          name: resource.physicalName,
          arn: resource.arn,
          bus,
          matches: compilePattern(properties.EventPattern, `${resource.logicalId}.EventPattern`),
          targets: properties.Targets.map((target) => bindTarget(target, assembly, engine, invocations)),
        },
      ];
    });
  }

  /** Puts one event. An entry that fails is an answer, as in EventBridge: its sender must look and put it again. */
  async put(entry: PutEventsEntry): Promise<PutEventsResult> {
    const { assembly, clock, trace } = this.#options;
    const bus = busName(entry.EventBusName ?? "default");
    const missing = (["Source", "DetailType", "Detail"] as const).find((name) => !entry[name]);
    if (missing !== undefined) {
      return refused(
        "InvalidArgument",
        `Parameter ${missing} is not valid. Reason: ${missing} is a required argument.`,
      );
    }
    const detail = parseObject(entry.Detail ?? "");
    if (detail === undefined) return refused("MalformedDetail", "Detail is malformed.");
    if (!this.#buses.has(bus))
      return refused("NotAuthorizedForSourceException", `There is no event bus ${bus}.`);
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
      detail,
    };
    const rules = this.#rules.filter((rule) => rule.bus === bus && rule.matches(event));
    try {
      for (const rule of rules) for (const target of rule.targets) await target.deliver(event, rule.arn);
    } catch (error) {
      return refused("InternalFailure", error instanceof Error ? error.message : String(error));
    }
    const detailType = String(event["detail-type"]);
    trace.record({ kind: "bus-event", name: bus, detail: { detailType, id: event.id, rules: rules.length } });
    return { EventId: event.id };
  }
}

function refused(ErrorCode: string, ErrorMessage: string): PutEventsResult {
  return { ErrorCode, ErrorMessage };
}

/** A bus is named, or given by its ARN. */
function busName(nameOrArn: string): string {
  return nameOrArn.split("/").at(-1) ?? nameOrArn;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
