import { resolve } from "node:path";
import { CannotRun } from "../command-line/options.ts";
import { chooseEngine } from "../local/engines/choose-engine.ts";

export interface LocalSettings {
  /** 0 selects a free port. */
  port: number;
  /** Where connected parties' webhooks are received. Default: that of the last start, or free. */
  webhookPort?: number;
  /** Absolute path. A run keeps all its state here. */
  directory: string;
  /** `dynoxide`, `dynamodb-local` or an endpoint URL. */
  dynamodb: string;
  /** Whether collecting accounts and connections wait for the operator, as without a sandbox. */
  approvals?: boolean;
  /** Whether another store gets a copy of each item, as in another region. */
  hasReplica?: boolean;
  /** Loopback origins that may receive callbacks although they are neither public nor HTTPS. */
  receivers: string[];
}

/** `npm run demo` receives callbacks on the first, `npm run listen` beside it on the second. */
const ownReceivers = "http://127.0.0.1:8490,http://127.0.0.1:8491";
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Reads the variables that README.md lists. Throws CannotRun for a wrong one. */
export function readSettings(variables: Record<string, string | undefined>): LocalSettings {
  return {
    port: readPort("PORT", variables.PORT || "8443"),
    webhookPort: readPort("WEBHOOK_PORT", variables.WEBHOOK_PORT || "0"),
    directory: resolve(variables.LOCAL_DIR || ".local"),
    dynamodb: variables.LOCAL_DYNAMODB || findEngine(),
    approvals: readSwitch("LOCAL_APPROVALS", variables.LOCAL_APPROVALS || "off"),
    receivers: (variables.LOCAL_RECEIVERS ?? ownReceivers)
      .split(",")
      .map((origin) => origin.trim())
      .filter(Boolean)
      .map(readReceiver),
  };
}

function findEngine(): string {
  try {
    return chooseEngine();
  } catch (error) {
    throw new CannotRun(error instanceof Error ? error.message : String(error));
  }
}

function readSwitch(name: string, text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw new CannotRun(`${name} is "${text}"; it must be on or off`);
}

function readPort(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CannotRun(`${name} is "${text}"; it must be a number from 0 (a free port) to 65535`);
}

function readReceiver(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (isOrigin && loopback.test(url.hostname)) return url.origin;
  throw new CannotRun(
    `LOCAL_RECEIVERS contains "${text}"; it must list loopback origins, such as http://127.0.0.1:9000`,
  );
}
