import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { VirtualClock } from "../clock.ts";
import type { SqsEngine } from "../engines/sqs.ts";
import type { Assembly, Resource, Trace } from "../interfaces.ts";
import { readProperties } from "../provision/read-properties.ts";
import { StateFile } from "../state-file.ts";
import type { Activity } from "./activity.ts";
import type { AsyncInvocations } from "./async-invocations.ts";
import { readTimetable, type Timetable } from "./schedule-expression.ts";
import { bindTarget, type Target, TargetProperties } from "./targets.ts";

export interface SchedulesOptions {
  assembly: Assembly;
  engine: SqsEngine;
  invocations: AsyncInvocations;
  clock: VirtualClock;
  activity: Activity;
  trace: Trace;
  /** See `DynamoEngine.commitMarker`. */
  commitMarker(): number | undefined;
  /** Keeps when each schedule ran last. */
  file: string;
}

const RuleProperties = z.object({
  ScheduleExpression: z.string().optional(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  Targets: z.array(TargetProperties).default([]),
});

interface Schedule {
  name: string;
  arn: string;
  next: Timetable;
  targets: Target[];
  /** What its function has last said of itself. */
  idle?: { until: number; commitMarker: number | undefined };
}

/**
 * What a scheduled function may answer: the time before which it will find nothing to do, null for none in sight, as long
 * as nobody writes. A moved clock then goes straight there, and not through every empty run on the way.
 */
const IdleAnswer = z.object({ nextDueAt: z.iso.datetime().nullable() });

/** The template's schedules, on the virtual clock. One that fell due while the platform was down runs once at start. */
export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #schedules: Schedule[];
  readonly #state: StateFile<Record<string, number>>;
  readonly #lastRuns: Record<string, number>;
  #stopping = false;

  constructor(options: SchedulesOptions) {
    this.#options = options;
    this.#state = new StateFile(options.file);
    this.#lastRuns = this.#state.read({});
    const rules = options.assembly.ofType("AWS::Events::Rule");
    this.#schedules = rules.flatMap((rule) => this.#read(rule));
  }

  start(): void {
    const now = this.#options.clock.now();
    for (const schedule of this.#schedules) {
      const lastRun = this.#lastRuns[schedule.arn];
      // From now on it counts as known: what falls due while the platform is down is missed, and run at the next start.
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

  /** The run at which there is something to do again; undefined when that is not known, or no longer. */
  #idleUntil({ idle, next }: Schedule): number | undefined {
    if (idle === undefined || idle.commitMarker !== this.#options.commitMarker()) return undefined;
    return Number.isFinite(idle.until) ? next(idle.until - 1) : idle.until;
  }

  /** A write during the run may have come after the function's look: then its answer counts for nothing. */
  #noteIdleness(schedule: Schedule, markerBefore: number | undefined, results: unknown[]): void {
    const answer = IdleAnswer.safeParse(results.length === 1 ? results[0] : undefined);
    const commitMarker = this.#options.commitMarker();
    if (!answer.success || commitMarker === undefined || commitMarker !== markerBefore) return;
    const { nextDueAt } = answer.data;
    const until = nextDueAt === null ? Number.POSITIVE_INFINITY : Date.parse(nextDueAt);
    schedule.idle = { until, commitMarker };
  }

  async #run(schedule: Schedule): Promise<void> {
    const { clock, activity, trace, assembly, commitMarker } = this.#options;
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
    // The next run is planned first, so that a run longer than its period delays no other.
    this.#plan(schedule, ranAt);
    trace.record({ kind: "schedule", name: schedule.name });
    const marker = commitMarker();
    const answers: unknown[] = [];
    await activity.track(`schedule ${schedule.name}`, async () => {
      for (const target of schedule.targets)
        answers.push((await target.deliver(event, schedule.arn))?.payload);
    });
    this.#noteIdleness(schedule, marker, answers);
    this.#remember(schedule, ranAt);
  }

  /** Only after the run: a run that a kill has cut off is made up for. */
  #remember(schedule: Schedule, ranAt: number): void {
    this.#lastRuns[schedule.arn] = ranAt;
    this.#state.write(this.#lastRuns);
  }

  /** None where the rule waits for events, or for nothing. */
  #read(rule: Resource): Schedule[] {
    const { ScheduleExpression, State, Targets } = readProperties(rule, RuleProperties);
    if (ScheduleExpression === undefined || State === "DISABLED") return [];
    const { assembly, engine, invocations } = this.#options;
    const targets = Targets.map((target) => bindTarget(target, assembly, engine, invocations, "run"));
    const { physicalName: name, arn } = rule;
    return [{ name, arn, next: readTimetable(ScheduleExpression), targets }];
  }
}
