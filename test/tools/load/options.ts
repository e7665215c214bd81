import { dirname, join, resolve } from "node:path";
import { UsageError } from "../../../infra/command-line/options.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { deadlineMarginMs, deadlineMs, defaultLimits, type Kind, kinds, type Limits } from "./kinds.ts";

export interface LoadOptions {
  readonly connection: Connection;
  readonly connectionFile: string;
  /** Of the whole load. */
  readonly seconds: number;
  readonly stepSeconds: number;
  /** Requests a second: without it, the load finds the rate. */
  readonly rate: number | undefined;
  readonly startRate: number;
  readonly limits: Limits;
  /** After how long the receiver decides on an authorization. Without it, it is not asked. */
  readonly decideMs: number | undefined;
  readonly seed: number;
  readonly reportFile: string;
}

export function reportFileOf(connectionFile: string, given: string | undefined): string {
  return resolve(given ?? join(dirname(connectionFile), "load.html"));
}

/** @throws UsageError */
export function readLimits(texts: readonly string[], decideMs?: number): Limits {
  const given = texts.map((text) => {
    const [, name, ms] = /^(\w+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
    const kind = kinds.find((one) => one === name);
    if (kind !== undefined && Number(ms) > 0) return [kind, Number(ms)] as [Kind, number];
    throw new UsageError(
      `--limit is "${text}"; it must be a kind and milliseconds, such as read=250. Kinds: ${kinds.join(", ")}.`,
    );
  });
  const decided = decideMs === undefined ? {} : { authorization: deadlineMs + deadlineMarginMs };
  return { ...defaultLimits, ...decided, ...Object.fromEntries(given) };
}
