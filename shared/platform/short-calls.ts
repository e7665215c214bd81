import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { now } from "./clock.ts";
import { environment } from "./environment.ts";
import { type HttpAnswer, readPlainJson } from "./plain-json.ts";

type Config = Omit<DynamoDBClient["config"], "protocol"> & {
  readonly protocol: { deserializeResponse(...call: unknown[]): Promise<object> };
};
interface Client {
  readonly config: object;
  readonly middlewareStack: { readonly add: (...more: never[]) => void };
}

type Next = (args: Args) => Promise<object>;
interface Args {
  readonly input: object;
  readonly request: Request;
}

interface Request {
  readonly hostname: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A first request without what is of that call alone, and what signs all of its kind. */
interface Known extends Request {
  readonly signer: Awaited<ReturnType<Config["signer"]>>;
  readonly signingRegion: string;
  readonly signingService: string;
}

/** A function's first attempt goes the short way: with it, there are four. */
export const maxAttempts = environment.isFunction ? 3 : 4;

const ofOneCall = /^(authorization|content-length|amz-sdk-.*|x-amzn-trace-id|x-amz-(date|content-sha256))$/;

/** What an answer says about items. All else is for the SDK: it knows what may pass. */
const outcomes = /^(ConditionalCheckFailed|TransactionCanceled|TransactionConflict)Exception$/;

/**
 * Sends a call as the SDK sent the first of its kind, with its signer, connections and limits, and
 * without its thirty middlewares: half of a call's CPU. What fails, the SDK attempts again. Only
 * where middlewares are kept (`cacheMiddleware`).
 */
export function shortenCalls(client: Client): void {
  const config = client.config as Config;
  const add = client.middlewareStack.add.bind(client.middlewareStack) as (...more: unknown[]) => void;
  const sent = new WeakMap<object, Request>();
  const shorten = (next: Next, context: object) => {
    let known: Known | undefined;
    return async (args: Args) => {
      const answered = known && (await callShortly(config, context, known, args.input));
      if (answered) return answered;
      const isRepeated = known !== undefined;
      const answer = await next(args).catch((error) => {
        // The short attempt may be applied later, as one of the SDK's may.
        if (isRepeated && error.$metadata) error.$metadata.attempts += 1;
        throw error;
      });
      if (config.cacheMiddleware) known ??= await toKnown(config, sent.get(context));
      return answer;
    };
  };
  const note = (next: Next, context: object) => (args: Args) => {
    sent.set(context, args.request);
    return next(args);
  };
  add(shorten, { step: "serialize", priority: "high", name: "shorten" });
  add(note, { step: "deserialize", priority: "low", name: "noteRequest" });
}

async function toKnown(config: Config, request: Request | undefined): Promise<Known | undefined> {
  const authorization = request?.headers.authorization ?? "";
  const [, signingRegion, signingService] = /=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(authorization) ?? [];
  if (!request || !signingRegion || !signingService) return undefined;
  const all = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers = Object.fromEntries(all.filter(([name]) => !ofOneCall.test(name)));
  const signer = await config.signer({
    name: "sigv4",
    signingName: signingService,
    signingRegion,
    properties: {},
  });
  return { ...request, headers, signer, signingRegion, signingService };
}

/** Undefined if it failed for a reason that may pass, or that the SDK tells. */
async function callShortly(config: Config, context: object, known: Known, input: object) {
  const { signer, signingRegion, signingService, ...usual } = known;
  const body = Buffer.from(JSON.stringify(input));
  const headers = {
    ...{ ...usual.headers, "content-length": String(body.length) },
    ...(environment.traceHeader && { "x-amzn-trace-id": environment.traceHeader }),
  };
  const signingDate = new Date(now().getTime() + config.systemClockOffset);
  try {
    const how = { signingDate, signingRegion, signingService };
    const request = await signer.sign({ ...usual, headers, body } as never, how);
    const { response } = await config.requestHandler.handle(request as never);
    return { response, output: await readAnswer(config, context, response as never) };
  } catch (error) {
    if (error instanceof Error && outcomes.test(error.name)) throw error;
    return undefined;
  }
}

async function readAnswer(config: Config, context: object, response: HttpAnswer) {
  const attempts = { attempts: 1, totalRetryDelay: 0 };
  if (response.statusCode === 200) return readPlainJson(response, attempts);
  const [, namespace, name, traits, input, output] = Object(context).__smithy_context.operationSchema;
  const operation = { namespace, name, traits, input, output };
  const answer = config.protocol.deserializeResponse(operation, { ...config, ...context }, response);
  return answer.catch((error) => {
    Object.assign(error.$metadata, attempts);
    throw error;
  });
}
