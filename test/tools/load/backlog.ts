import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Connection } from "../../../infra/development/connection.ts";
import { memoryOfTree, withNpm } from "../../harness/process-memory.ts";
import type { LoadClock } from "./open-loop.ts";

/** What waits, and what the platform takes, at one moment. */
export interface Moment {
  /** Since the load began. */
  readonly atMs: number;
  /** Requests without an answer. */
  readonly inFlight: number;
  /** Notifications that are due and have not arrived. */
  readonly undelivered: number;
  /** Messages in the platform's queues, those being handled included. */
  readonly queued: number;
  readonly deadLetters: number;
  /** Of the platform's processes with npm, where the system shows it. */
  readonly memoryBytes?: number | undefined;
}

interface Watched {
  readonly inFlight: () => number;
  readonly undelivered: () => number;
}

const intervalMs = 1_000;

/** Looks at the backlog every second until it is stopped. */
export class BacklogWatch {
  readonly moments: Moment[] = [];
  readonly #sqs: SQSClient;
  readonly #region: string;
  readonly #platform: number | undefined;
  readonly #watched: Watched;
  readonly #clock: LoadClock;
  readonly #outsideQueue: string;
  #queueUrls: readonly string[] = [];
  #isStopped = false;
  #watching: Promise<void> = Promise.resolve();

  constructor(connection: Connection, connectionFile: string, clock: LoadClock, watched: Watched) {
    this.#region = connection.store.region;
    this.#sqs = new SQSClient({
      endpoint: new URL(connection.processorQueueUrl).origin,
      region: this.#region,
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    this.#platform = platformProcess(connectionFile);
    this.#outsideQueue = new URL(connection.outsideQueueUrl).pathname;
    this.#watched = watched;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    const { QueueUrls = [] } = await this.#sqs.send(new ListQueuesCommand({}));
    // The processor empties that one, and there is none here.
    this.#queueUrls = QueueUrls.filter((url) => new URL(url).pathname !== this.#outsideQueue);
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#watching;
    this.#sqs.destroy();
  }

  async look(): Promise<Moment> {
    const atMs = this.#clock.now();
    const [inFlight, undelivered] = [this.#watched.inFlight(), this.#watched.undelivered()];
    const depths = await Promise.all(this.#queueUrls.map((url) => this.#depthOf(url)));
    const sum = (isDead: boolean) =>
      this.#queueUrls.reduce(
        (total, url, index) => total + (url.endsWith("-dead-letters") === isDead ? (depths[index] ?? 0) : 0),
        0,
      );
    const memoryBytes = this.#platform === undefined ? undefined : memoryOfTree(this.#platform);
    const moment = { atMs, inFlight, undelivered, queued: sum(false), deadLetters: sum(true), memoryBytes };
    this.moments.push(moment);
    return moment;
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      const { atMs } = await this.look();
      await this.#clock.until(atMs + intervalMs);
    }
  }

  async #depthOf(QueueUrl: string): Promise<number> {
    const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] });
    const { Attributes = {} } = await this.#sqs.send(command);
    return names.reduce((total, name) => total + Number(Attributes[name] ?? 0), 0);
  }
}

/** The platform's lock names its process. */
function platformProcess(connectionFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dirname(connectionFile), "lock.holder"), "utf8"));
    return pid > 0 ? withNpm(pid) : undefined;
  } catch {
    return undefined;
  }
}
