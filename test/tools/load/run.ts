import { dirname, join } from "node:path";
import type { Client } from "../../../client/src/card-issuing.ts";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { type Random, randomFrom } from "../../harness/random.ts";
import { clientWithoutRetries } from "../calls.ts";
import { BacklogWatch, type Moment } from "./backlog.ts";
import { auditBooks, type Books } from "./books.ts";
import { Deliveries, receive } from "./deliveries.ts";
import { type Figures, judge } from "./judge.ts";
import type { Sample } from "./kinds.ts";
import { type LoadClock, realClock, runOpenLoop } from "./open-loop.ts";
import type { LoadOptions } from "./options.ts";
import { populate } from "./population.ts";
import { type Found, foundRate, nextRate } from "./rate-finder.ts";
import { Requests } from "./requests.ts";
import { scheduleArrivals } from "./schedule.ts";

/** A time at one rate. */
export interface Phase {
  readonly name: "warm-up" | "step" | "steady";
  readonly rate: number;
  readonly startMs: number;
  /** When the last scheduled request left. */
  readonly endMs: number;
  readonly sent: number;
  /** Whether it ended early, because too many requests had no answer. */
  readonly isOverrun: boolean;
  readonly worstLagMs: number;
  readonly figures: readonly Figures[];
  readonly isKept: boolean;
}

export interface LoadResult {
  readonly startedAt: Date;
  readonly phases: readonly Phase[];
  readonly samples: readonly Sample[];
  readonly moments: readonly Moment[];
  /** Absent with a given rate. */
  readonly found?: Found | undefined;
  readonly undelivered: number;
  readonly repeated: number;
  readonly books: Books;
}

export interface Reporting {
  say(line: string): void;
  /** What happens now; replaced by the next. */
  progress(what: string): void;
}

const warmUpSeconds = 10;
/** For the first clearings. */
const openAuthorizations = 50;
/** The rest is for the steady rate. */
const shareOfSearch = 0.6;
const steadyShare = 0.7;
const deliveryPatienceMs = 60_000;
const pollMs = 100;

/** Populates the platform, finds the rate or keeps the given one, and audits the books. */
export async function runLoad(options: LoadOptions, reporting: Reporting): Promise<LoadResult> {
  const startedAt = new Date();
  const client = clientWithoutRetries(options.connection);
  try {
    reporting.say(`Creating Cardholders, Cards and Wallets at ${options.connection.baseUrl}.`);
    const population = await populate(client);
    const load = new Load(options, reporting, client);
    const random = randomFrom(options.seed);
    const requests = new Requests(client, population, random, (caused) => load.deliveries.expect(caused));
    const found = await load.run(requests, random);
    reporting.say("Auditing the books.");
    const journalFile = join(dirname(options.connectionFile), "audit.journal");
    const books = await auditBooks(options.connection, journalFile, (items) =>
      reporting.progress(`${items} items read`),
    );
    return { startedAt, found, books, ...load.results() };
  } finally {
    await client.close();
  }
}

class Load {
  readonly deliveries: Deliveries;
  readonly #options: LoadOptions;
  readonly #reporting: Reporting;
  readonly #client: Client;
  readonly #clock: LoadClock = realClock();
  readonly #backlog: BacklogWatch;
  readonly #samples: Sample[] = [];
  readonly #phases: Phase[] = [];
  #inFlight = 0;
  #undelivered = 0;

  constructor(options: LoadOptions, reporting: Reporting, client: Client) {
    this.#options = options;
    this.#reporting = reporting;
    this.#client = client;
    this.deliveries = new Deliveries(this.#clock, (sample) => this.#samples.push(sample));
    this.#backlog = new BacklogWatch(options.connection, options.connectionFile, this.#clock, {
      inFlight: () => this.#inFlight,
      undelivered: () => this.deliveries.undelivered,
    });
  }

  async run(requests: Requests, random: Random): Promise<Found | undefined> {
    const { connection, rate, decideMs } = this.#options;
    await using cleaning = cleanUp();
    const receiving = receive(connection, this.#client, this.#clock, this.deliveries, decideMs);
    cleaning.defer(async () => (await receiving.catch(() => undefined))?.stop());
    await receiving;
    await this.#backlog.start();
    try {
      const keep = (name: Phase["name"], perSecond: number, seconds: number) =>
        this.#keepRate(name, perSecond, seconds, requests, random);
      await requests.prepare(openAuthorizations);
      await keep("warm-up", rate ?? this.#options.startRate, warmUpSeconds);
      return rate === undefined ? await this.#findRate(keep) : void (await this.#holdRate(keep, rate));
    } finally {
      await this.#backlog.stop();
    }
  }

  results(): Pick<LoadResult, "phases" | "samples" | "moments" | "undelivered" | "repeated"> {
    const { repeated } = this.deliveries;
    const moments = this.#backlog.moments;
    return {
      phases: this.#phases,
      samples: this.#samples,
      moments,
      undelivered: this.#undelivered,
      repeated,
    };
  }

  async #findRate(keep: Keep): Promise<Found> {
    const { seconds, stepSeconds, startRate } = this.#options;
    let spent = 0;
    const tried: { rate: number; isKept: boolean }[] = [];
    for (;;) {
      const rate = nextRate(tried, startRate);
      const isFirst = tried.length === 0;
      if (rate === undefined || (!isFirst && spent + stepSeconds > seconds * shareOfSearch)) break;
      const { isKept } = await keep("step", rate, stepSeconds);
      tried.push({ rate, isKept });
      spent += stepSeconds;
    }
    const found = foundRate(tried);
    if (found.kept === undefined) this.#reporting.say("No rate kept every limit.");
    else await keep("steady", found.kept * steadyShare, Math.max(stepSeconds, seconds - spent));
    return found;
  }

  async #holdRate(keep: Keep, rate: number): Promise<void> {
    await keep("steady", rate, this.#options.seconds);
  }

  async #keepRate(
    name: Phase["name"],
    rate: number,
    seconds: number,
    requests: Requests,
    random: Random,
  ): Promise<Phase> {
    const startMs = this.#clock.now();
    const firstSample = this.#samples.length;
    const told = setInterval(() => this.#tell(name, rate, startMs, seconds), 1_000);
    const result = await runOpenLoop({
      arrivals: scheduleArrivals(rate, seconds, random),
      clock: this.#clock,
      send: (kind) => requests.send(kind),
      onSample: (sample) => this.#samples.push(sample),
      onInFlight: (count) => {
        this.#inFlight = count;
      },
      maximumInFlight: Math.max(100, 2 * rate),
    }).finally(() => clearInterval(told));
    const endMs = Math.min(this.#clock.now(), startMs + seconds * 1_000);
    await this.#delivered();
    const figures = judge(this.#samples.slice(firstSample), this.#options.limits);
    const isKept = !result.isOverrun && figures.every((one) => one.isKept);
    const phase = { name, rate, startMs, endMs, ...result, figures, isKept };
    this.#phases.push(phase);
    this.#reporting.say(lineOf(phase));
    return phase;
  }

  /** Waits for what is due, so that the next rate does not pay for this one. */
  async #delivered(): Promise<void> {
    const patienceUntilMs = this.#clock.now() + deliveryPatienceMs;
    while (this.deliveries.undelivered > 0 && this.#clock.now() < patienceUntilMs) {
      this.#reporting.progress(`waiting for ${this.deliveries.undelivered} webhooks`);
      await this.#clock.until(this.#clock.now() + pollMs);
    }
    this.#undelivered += this.deliveries.giveUp();
    while ((await this.#backlog.look()).queued > 0 && this.#clock.now() < patienceUntilMs) {
      await this.#clock.until(this.#clock.now() + pollMs);
    }
  }

  #tell(name: string, rate: number, startMs: number, seconds: number): void {
    const second = Math.round((this.#clock.now() - startMs) / 1_000);
    const backlog = `${this.#inFlight} in flight, ${this.deliveries.undelivered} webhooks due`;
    this.#reporting.progress(`${name}, ${round(rate)}/s: ${second} of ${Math.round(seconds)} s, ${backlog}`);
  }
}

type Keep = (name: Phase["name"], rate: number, seconds: number) => Promise<Phase>;

function lineOf({ name, rate, startMs, endMs, figures, isKept, isOverrun }: Phase): string {
  const seconds = Math.round((endMs - startMs) / 1_000);
  const each = figures.map(({ kind, p99, failed, isKept }) => {
    const failures = failed > 0 ? ` and ${failed} failed` : "";
    return `${kind} ${Number.isNaN(p99) ? "–" : Math.round(p99)}${failures}${isKept ? "" : " !"}`;
  });
  const verdict = name === "warm-up" ? "warm-up" : isKept ? "kept" : isOverrun ? "overrun" : "left";
  return `${`${round(rate)}/s`.padStart(8)}  ${`${seconds} s`.padStart(5)}  ${verdict.padEnd(8)}  p99 ms: ${each.join(", ")}`;
}

function round(rate: number): string {
  return String(Number(rate.toPrecision(3)));
}
