import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { requestLimits } from "../request-limits.ts";

const { connectionTimeout, requestTimeout } = requestLimits(3_000);
/** As many as the SDK's clients open. */
const limits = { keepAlive: true, maxSockets: 50 };
const agents = { "http:": new http.Agent(limits), "https:": new https.Agent(limits) };

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Received {
  readonly statusCode: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** @throws Error `TimeoutError`, or the connection's */
export function post(endpoint: URL, { headers, body }: Posted): Promise<Received> {
  const { protocol, hostname, port } = endpoint;
  const { request } = protocol === "http:" ? http : https;
  const agent = agents[protocol === "http:" ? "http:" : "https:"];
  return new Promise((resolve, reject) => {
    const call = request({
      ...{ hostname, port, agent, method: "POST", path: "/", timeout: connectionTimeout },
      headers: { ...headers, "content-length": body.length },
    });
    // Once connected, until the answer begins, and while it stands still.
    call.setTimeout(requestTimeout, () => {
      const message = `DynamoDB did not answer within ${requestTimeout} ms.`;
      call.destroy(Object.assign(new Error(message), { name: "TimeoutError" }));
    });
    call.once("error", reject);
    call.once("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("error", reject);
      answer.once("end", () =>
        resolve({
          statusCode: answer.statusCode ?? 0,
          headers: answer.headers,
          body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks),
        }),
      );
    });
    call.end(body);
  });
}
