import { z } from "zod";
import { type StateFile, stateFile } from "../files.ts";
import { randomUUID } from "../randomness.ts";
import { type Assembly, type Resource, readProperties, TemplateError } from "../template.ts";
import { type EventParts, invokeWhenAvailable } from "./invocations.ts";

type Options = EventParts & { file: string };

const RuleProperties = z.object({
  ScheduleExpression: z.string().optional(),
  State: z.string().default("ENABLED"),
  Targets: z.array(z.object({ Arn: z.string() })).default([]),
});
/** Lambda's retries of failed runs are not emulated. */
const InvokeConfigProperties = z.object({ FunctionName: z.string(), MaximumRetryAttempts: z.literal(0) });

interface Schedule {
  name: string;
  arn: string;
  next(after: number): number;
  functionArn: string;
  idle?: { until: number; commitMarker: number | undefined };
}

/**
 * When the function's next work is due, or null for none, unless something is written. An advance
 * of the clock skips the empty runs until then.
 */
const IdleAnswer = z.object({ nextDueAt: z.iso.datetime().nullable() });

/** Runs schedules by the virtual clock. Runs missed while the platform was down happen at start. */
export class Schedules {
  readonly #options: Options;
  readonly #schedules: Schedule[];
  readonly #state: StateFile<Record<string, number>>;
  readonly #lastRuns: Record<string, number>;
  #stopping = false;

  constructor(options: Options) {
    this.#options = options;
    this.#state = stateFile(options.file);
    this.#lastRuns = this.#state.read({});
    const rules = options.assembly.ofType("AWS::Events::Rule");
    this.#schedules = rules.flatMap((rule) => readSchedule(rule, options.assembly));
  }

  start(): void {
    const now = this.#options.clock.now();
    for (const schedule of this.#schedules) {
      const lastRun = this.#lastRuns[schedule.arn];
      // A new schedule starts now, so that later starts can detect missed runs.
      if (lastRun === undefined) this.#remember(schedule, now);
      this.#plan(schedule, lastRun ?? now);
    }
  }

  stop(): void {
    this.#stopping = true;
  }

  #plan(schedule: Schedule, after: number): void {
    if (this.#stopping) return;
    const dueAt = schedule.next(after);
    this.#options.clock.at(
      dueAt,
      () => this.#run(schedule),
      () => this.#idleUntil(schedule) ?? dueAt,
    );
  }

  /** Undefined if unknown or outdated. */
  #idleUntil({ idle, next }: Schedule): number | undefined {
    if (idle === undefined || idle.commitMarker !== this.#options.commitMarker()) return undefined;
    return Number.isFinite(idle.until) ? next(idle.until - 1) : idle.until;
  }

  async #run(schedule: Schedule): Promise<void> {
    const { clock, activity, trace, assembly, invoker, commitMarker } = this.#options;
    if (this.#stopping) return;
    delete schedule.idle;
    const ranAt = clock.now();
    const event = {
      version: "0",
      id: randomUUID(),
      "detail-type": "Scheduled Event",
      source: "aws.events",
      account: assembly.account,
      time: new Date(ranAt).toISOString().replace(/\.\d+/, ""),
      region: assembly.region,
      resources: [schedule.arn],
      detail: {},
    };
    // Plans the next run first, so that a long run delays no other.
    this.#plan(schedule, ranAt);
    trace.record({ kind: "schedule", name: schedule.name });
    const markerBefore = commitMarker();
    const end = activity.begin(`schedule ${schedule.name}`);
    try {
      const { payload } = await invokeWhenAvailable(invoker, schedule.functionArn, event);
      this.#noteIdleness(schedule, markerBefore, payload);
    } finally {
      end();
    }
    this.#remember(schedule, ranAt);
  }

  /** If something was written during the run, the function may not have seen it. */
  #noteIdleness(schedule: Schedule, markerBefore: number | undefined, payload: unknown): void {
    const answer = IdleAnswer.safeParse(payload);
    const commitMarker = this.#options.commitMarker();
    if (!answer.success || commitMarker === undefined || commitMarker !== markerBefore) return;
    const { nextDueAt } = answer.data;
    const until = nextDueAt === null ? Number.POSITIVE_INFINITY : Date.parse(nextDueAt);
    schedule.idle = { until, commitMarker };
  }

  /** Stored after the run, so that the next start repeats a killed run. */
  #remember(schedule: Schedule, ranAt: number): void {
    this.#lastRuns[schedule.arn] = ranAt;
    this.#state.write(this.#lastRuns);
  }
}

function readSchedule(rule: Resource, assembly: Assembly): Schedule[] {
  const { ScheduleExpression, State, Targets } = readProperties(rule, RuleProperties);
  if (ScheduleExpression === undefined || State === "DISABLED") return [];
  const configs = assembly
    .ofType("AWS::Lambda::EventInvokeConfig")
    .map((config) => readProperties(config, InvokeConfigProperties));
  const [{ Arn: functionArn } = { Arn: "" }, ...others] = Targets;
  const fn = assembly.byArn(functionArn);
  if (fn?.type !== "AWS::Lambda::Function" || others.length > 0)
    throw new TemplateError(`${rule.logicalId}: a schedule has one target, a function of the template`);
  if (!configs.some(({ FunctionName }) => [fn.physicalName, functionArn].includes(FunctionName)))
    throw new TemplateError(`${fn.logicalId}: a scheduled function needs a MaximumRetryAttempts of 0`);
  return [{ name: rule.physicalName, arn: rule.arn, next: readRate(ScheduleExpression), functionArn }];
}

const unitMs: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Parses `rate(…)`. Throws for other expressions. */
export function readRate(expression: string): Schedule["next"] {
  const [, count, unit = "", plural] = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const periodMs = Number(count) * (unitMs[unit] ?? 0);
  if (!(periodMs > 0) || (plural === "s") !== Number(count) > 1) {
    throw new Error(`${expression}: only rate(…) is known`);
  }
  // Whole periods since the epoch, so that a restart keeps the due times.
  return (after) => (Math.floor(after / periodMs) + 1) * periodMs;
}
