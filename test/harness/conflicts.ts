import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { table } from "../../shared/platform/table/client.ts";

type Stored = Readonly<Record<string, { S: string }>>;
type Action = Readonly<Record<string, { TableName: string; Key?: Stored; Item?: Stored }>>;

interface Call {
  readonly operation: string;
  readonly input: { readonly TransactItems?: readonly Action[] } | Action[string];
}

/**
 * The local engine executes one call after another, so that none ever conflicts. Here a write is
 * under way from its start to its answer, longer than in AWS. Meanwhile, as there, any other write
 * of an item of a transaction fails, and so does a transactional read of an item that is written.
 */
class Overlaps {
  readonly #underWay = new Map<string, "transaction" | "single">();
  calls = 0;
  conflicts = 0;

  /** Rejects the call, or executes it. */
  async during<Answer>(
    { operation, input }: Call,
    execute: () => Promise<Answer>,
    reject: (error: object) => Answer,
  ): Promise<Answer> {
    this.calls += 1;
    const isTransaction = operation.startsWith("Transact");
    const isWrite = /^(TransactWrite|Put|Update|Delete)/.test(operation);
    if (!isTransaction && !isWrite) return execute();
    const keys =
      "TransactItems" in input ? toKeys(input.TransactItems ?? []) : [toKey(input as Action[string])];
    const blocking = keys.filter((key) => {
      const kind = this.#underWay.get(key);
      return kind === "transaction" || (kind === "single" && !isWrite);
    });
    if (blocking.length > 0) {
      this.conflicts += 1;
      return reject(isTransaction ? toError(keys, blocking) : singleConflict);
    }
    const written = isWrite ? keys.filter((key) => !this.#underWay.has(key)) : [];
    for (const key of written) this.#underWay.set(key, isTransaction ? "transaction" : "single");
    try {
      return await execute();
    } finally {
      for (const key of written) this.#underWay.delete(key);
    }
  }
}

const exceptions = "com.amazonaws.dynamodb.v20120810#";

const singleConflict = {
  __type: `${exceptions}TransactionConflictException`,
  message: "Transaction is ongoing for the item",
};

function toError(keys: readonly string[], blocking: readonly string[]): object {
  const CancellationReasons = keys.map((key) =>
    blocking.includes(key)
      ? { Code: "TransactionConflict", Message: "Transaction is ongoing for the item" }
      : { Code: "None" },
  );
  const __type = `${exceptions}TransactionCanceledException`;
  return { __type, message: "Transaction cancelled", CancellationReasons };
}

function toKeys(actions: readonly Action[]): string[] {
  return actions.map((action) => toKey(Object.values(action)[0] ?? { TableName: "" }));
}

function toKey({ TableName, Key, Item }: Action[string]): string {
  const key = Key ?? Item;
  return `${TableName} ${key?.pk?.S} ${key?.sk?.S}`;
}

export interface RejectedOverlaps {
  readonly calls: number;
  readonly conflicts: number;
}

const contentType = { "content-type": "application/x-amz-json-1.0" };

/** For the transactions of this process, until disposed of. */
export function rejectOverlaps(): RejectedOverlaps & Disposable {
  const overlaps = new Overlaps();
  const name = `overlaps-${performance.now()}`;
  table.middlewareStack.add(
    (next) => async (args) => {
      const { body, headers } = args.request as { body: Uint8Array; headers: Record<string, string> };
      const operation = headers["x-amz-target"]?.split(".")[1] ?? "";
      const call = { operation, input: JSON.parse(new TextDecoder().decode(body)) };
      return overlaps.during(
        call,
        () => next(args),
        (error) => {
          const answer = Readable.from([Buffer.from(JSON.stringify(error))]);
          return { response: { statusCode: 400, headers: contentType, body: answer }, output: {} as never };
        },
      );
    },
    { step: "deserialize", priority: "low", name },
  );
  return {
    get calls() {
      return overlaps.calls;
    },
    get conflicts() {
      return overlaps.conflicts;
    },
    [Symbol.dispose]: () => void table.middlewareStack.remove(name),
  };
}

/** A proxy for the processes that use its address. */
export interface RejectingEngine extends RejectedOverlaps {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Calls above `atOnce` wait, and hold no item meanwhile. A call takes `callMs` longer than the
 * engine, and holds its items for a quarter of that.
 */
export async function startRejectingEngine(
  engine: string,
  { atOnce = Number.POSITIVE_INFINITY, callMs = 0 } = {},
): Promise<RejectingEngine> {
  const { hostname, port } = new URL(engine);
  const agent = new Agent({ keepAlive: true });
  const overlaps = new Overlaps();
  const waiting: (() => void)[] = [];
  let underWay = 0;

  async function inTurn<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (underWay >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else underWay -= 1;
    }
  }

  async function forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const send = async () => {
      const { url: path, method, headers } = incoming;
      const outgoing = request({ hostname, port, path, method, headers, agent });
      outgoing.end(body);
      const [answered] = (await once(outgoing, "response")) as [IncomingMessage];
      if (callMs > 0) await delay(callMs / 4);
      return {
        status: answered.statusCode ?? 500,
        headers: answered.headers,
        bytes: await bytesOf(answered),
      };
    };
    const reject = (error: object) => ({
      status: 400,
      headers: contentType,
      bytes: Buffer.from(JSON.stringify(error)),
    });
    const call = { operation, input: JSON.parse(body.toString()) };
    const { status, headers, bytes } = await inTurn(() => overlaps.during(call, send, reject));
    if (callMs > 0) await delay((callMs * 3) / 4);
    answer.writeHead(status, headers).end(bytes);
  }

  const server = createServer((incoming, answer) => {
    forward(incoming, answer).catch(() => answer.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return overlaps.calls;
    },
    get conflicts() {
      return overlaps.conflicts;
    },
    stop: async () => {
      server.closeAllConnections();
      agent.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await message.toArray());
}
