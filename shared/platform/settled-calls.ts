import { environment } from "./environment.ts";

interface Request {
  readonly body?: unknown;
  clone(): Request;
}

type Handler = (args: { readonly input: object; readonly request?: Request }) => Promise<unknown>;
type Middleware = (next: Handler, context: object) => Handler;
type Add = (middleware: Middleware, options: { readonly name?: string; middleware: Middleware }) => void;

interface Stack {
  add: Add;
  addRelativeTo: Add;
  applyToStack(other: Pick<Stack, "add" | "addRelativeTo">): void;
  concat(own: object): Stack;
}

/** They find what is the same for all calls of a command, and write the rest of a request. */
const finders = new Set(["endpointV2Middleware", "httpAuthSchemeMiddleware", "serializerMiddleware"]);

/**
 * In a function, the SDK finds endpoint, signer and headers with the first call of each command
 * alone, and keeps its middlewares: later requests differ in their body. Credentials, signatures,
 * attempts and connections stay the SDK's in each.
 * @param client of the SDK, whose calls all go to one account and region
 */
export function settleCalls(client: { readonly config: object; readonly middlewareStack: object }): void {
  // Tests and tools add middlewares after first calls, which would not be used.
  if (!environment.isFunction) return;
  const config = client.config as { cacheMiddleware?: boolean; signer: () => Promise<object> };
  config.cacheMiddleware = true;
  const makeSigner = config.signer;
  let signer: Promise<object> | undefined;
  config.signer = () => (signer ??= makeSigner());
  const stack = client.middlewareStack as Stack;
  const { concat } = stack;
  stack.concat = (own) => {
    const whole = concat(own);
    const found: (() => void)[] = [];
    const take = (kind: "add" | "addRelativeTo"): Add => {
      return (before, options) => {
        const middleware = settle(before);
        if (finders.has(options.name ?? ""))
          found.push(() => whole[kind](middleware, { ...options, middleware }));
      };
    };
    whole.applyToStack({ add: take("add"), addRelativeTo: take("addRelativeTo") });
    for (const replace of found) replace();
    return whole;
  };
}

function settle(middleware: Middleware): Middleware {
  return (next, context) => {
    let isSettled = false;
    let written: Request | undefined;
    const find = middleware((args) => {
      isSettled = true;
      written ??= args.request && Object.assign(args.request.clone(), { body: undefined });
      return next(args);
    }, context);
    return (args) => {
      if (!isSettled || !written) return isSettled ? next(args) : find(args);
      const body = Buffer.from(JSON.stringify(args.input));
      return next({ ...args, request: Object.assign(written.clone(), { body }) });
    };
  };
}
