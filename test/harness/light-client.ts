import { table } from "../../shared/platform/table/client.ts";
import { callDirectly } from "./dynamo/direct-calls.ts";
import { ownEngine } from "./dynamo/serve.ts";

// No engine looks at signatures: tests save a third of a call. test/system signs all.
table.middlewareStack.remove("httpSigningMiddleware");
const authorization =
  "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";
table.middlewareStack.add(
  (next) => (args) => {
    const { headers } = args.request as { headers: Record<string, string> };
    Object.assign(headers, { authorization, "x-amz-date": "20260101T000000Z" });
    return next(args);
  },
  { step: "finalizeRequest", priority: "low", name: "unsigned" },
);
if (process.env.TEST_DYNAMODB === undefined) await callDirectly((await ownEngine()).engine);
