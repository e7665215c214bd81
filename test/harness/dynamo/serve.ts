import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../listen.ts";
import { OwnEngine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";

interface Served {
  readonly engine: OwnEngine;
  readonly endpoint: string;
}

/** A file that resets its modules has the engine that this process had. */
const ofProcess = globalThis as { ownEngine?: Promise<Served> };

/**
 * This process's engine, with an address for those who call it as they call DynamoDB: clients
 * that a test makes, and the processes that it starts.
 */
export function ownEngine(): Promise<Served> {
  ofProcess.ownEngine ??= serve();
  return ofProcess.ownEngine;
}

/** Undefined where the tables are in an engine beside the tests. */
export function engineOfProcess(): Promise<Served> | undefined {
  return ofProcess.ownEngine;
}

async function serve(): Promise<Served> {
  const engine = new OwnEngine();
  const endpoint = await listen(
    createServer((request, response) => {
      answer(engine, request, response).catch(() => response.destroy());
    }),
  );
  return { engine, endpoint };
}

async function answer(engine: OwnEngine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString();
  const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
  const reply = (status: number, answered: object) => {
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(answered));
  };
  try {
    reply(200, engine.execute(operation, JSON.parse(body)));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const type = `com.amazonaws.dynamodb.v20120810#${error.name}`;
    reply(400, { __type: type, message: error.message, ...error.members });
  }
}
