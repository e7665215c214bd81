import { UsageError } from "../../command-line/options.ts";

/** The queues and stream consumers. Each has its own dead-letter queue. */
export const sources = [
  "processor-events",
  "webhook-fanout",
  "callback-delivery",
  "slow-callbacks",
  "alert-delivery",
  "outside",
  "files",
  "evidence",
  "background-jobs",
  "outbox-relay",
  "list-indexer",
] as const;
export type Source = (typeof sources)[number];

/** Stream consumers have no queue to return a message to. */
export const streamSources: ReadonlySet<Source> = new Set(["outbox-relay", "list-indexer"]);

export function toSource(word: string | undefined): Source {
  const source = sources.find((each) => each === word);
  if (source === undefined)
    throw new UsageError(`The queue is "${word ?? ""}"; it must be one of ${sources.join(", ")}.`);
  return source;
}
