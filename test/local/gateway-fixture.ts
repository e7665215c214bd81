import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { readAssembly } from "../../infra/local/assembly.ts";
import { type Gateway, startGateway } from "../../infra/local/gateway/https-gateway.ts";
import { InvocationRefused, type InvokeResult, type TraceEntry } from "../../infra/local/interfaces.ts";
import {
  type CertifiedKey,
  issueAuthority,
  issueClientCertificate,
  issueLeaf,
} from "../../infra/local/issue-certificate.ts";
import { type StackFixture, writeAssembly } from "./assembly-fixture.ts";

const dayMs = 86_400_000;
export const valid = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 30 * dayMs) };

export interface Pki {
  authority: CertifiedKey;
  server: CertifiedKey;
  client: CertifiedKey;
}

export async function makePki(): Promise<Pki> {
  const authority = await issueAuthority("Test CA", valid);
  const server = await issueLeaf({
    authority,
    subject: [{ CN: ["localhost"] }],
    alternativeNames: [
      { type: "dns", value: "localhost" },
      { type: "dns", value: "sandbox.localhost" },
    ],
    usage: "serverAuth",
    ...valid,
  });
  return { authority, server, client: await clientOf(authority) };
}

export function clientOf(authority: CertifiedKey, validity = valid): Promise<CertifiedKey> {
  return issueClientCertificate({
    authority,
    tenantId: "ten_1",
    programIds: ["prg_1"],
    domains: ["demo.test"],
    ...validity,
  });
}

const functionUri = (name: string) =>
  `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-west-1:111122223333:function:${name}/invocations`;
const api = { Ref: "Api" };
const root = { "Fn::GetAtt": ["Api", "RootResourceId"] };
const resource = (parent: unknown, PathPart: string) => ({
  Type: "AWS::ApiGateway::Resource",
  Properties: { RestApiId: api, ParentId: parent, PathPart },
});
const method = (
  resourceId: unknown,
  HttpMethod: string,
  Integration: unknown = { Type: "AWS_PROXY", Uri: functionUri("work") },
) => ({
  Type: "AWS::ApiGateway::Method",
  Properties: {
    RestApiId: api,
    ResourceId: resourceId,
    HttpMethod,
    AuthorizationType: "CUSTOM",
    AuthorizerId: { Ref: "Authorizer" },
    Integration,
  },
});
const gatewayResponse = (ResponseType: string, StatusCode: string | undefined, code: string) => ({
  Type: "AWS::ApiGateway::GatewayResponse",
  Properties: {
    RestApiId: api,
    ResponseType,
    ...(StatusCode === undefined ? {} : { StatusCode }),
    ResponseParameters: {
      "gatewayresponse.header.X-Request-Id": "context.requestId",
      "gatewayresponse.header.X-Fixed": "'fixed'",
    },
    ResponseTemplates: { "application/json": `{"code":"${code}","requestId":"$context.requestId"}` },
  },
});
const mock = {
  Type: "MOCK",
  PassthroughBehavior: "NEVER",
  RequestTemplates: { "application/json": '{"statusCode": 404}' },
  IntegrationResponses: [
    {
      StatusCode: "404",
      ResponseParameters: { "method.response.header.X-Request-Id": "context.requestId" },
      ResponseTemplates: { "application/json": '{"code":"FALLBACK","for":"$context.authorizer.tenantId"}' },
    },
  ],
};

/** An API with literal, parameter and greedy paths, every kind of answer, on one host below `v2`. */
export function gatewayTemplate(): StackFixture {
  return {
    Resources: {
      Api: { Type: "AWS::ApiGateway::RestApi", Properties: { Name: "api", DisableExecuteApiEndpoint: true } },
      Stage: {
        Type: "AWS::ApiGateway::Stage",
        Properties: { RestApiId: api, StageName: "live", DeploymentId: "d1", Variables: { colour: "red" } },
      },
      Authorizer: {
        Type: "AWS::ApiGateway::Authorizer",
        Properties: {
          RestApiId: api,
          Type: "REQUEST",
          IdentitySource: "",
          AuthorizerResultTtlInSeconds: 0,
          AuthorizerUri: functionUri("authorizer"),
        },
      },
      Cards: resource(root, "cards"),
      Card: resource({ Ref: "Cards" }, "{cardId}"),
      CardStatus: resource({ Ref: "Card" }, "status"),
      Transactions: resource({ Ref: "Cards" }, "transactions"),
      Proxy: resource(root, "{proxy+}"),
      GetCards: method({ Ref: "Cards" }, "GET"),
      PostCards: method({ Ref: "Cards" }, "POST"),
      GetCard: method({ Ref: "Card" }, "GET"),
      GetCardStatus: method({ Ref: "CardStatus" }, "GET"),
      GetTransactions: method({ Ref: "Transactions" }, "GET"),
      SlowCards: method({ Ref: "Cards" }, "PUT", {
        Type: "AWS_PROXY",
        Uri: functionUri("work"),
        TimeoutInMillis: 100,
      }),
      AnyRoot: method(root, "ANY", mock),
      AnyProxy: method({ Ref: "Proxy" }, "ANY", mock),
      Denied: gatewayResponse("ACCESS_DENIED", "403", "$context.authorizer.code"),
      Unauthorized: gatewayResponse("UNAUTHORIZED", "401", "API_KEY_INVALID"),
      Unsupported: gatewayResponse("UNSUPPORTED_MEDIA_TYPE", "404", "NOT_FOUND"),
      Default4xx: gatewayResponse("DEFAULT_4XX", undefined, "DEFAULT_4XX"),
      Default5xx: gatewayResponse("DEFAULT_5XX", undefined, "DEFAULT_5XX"),
      Domain: {
        Type: "AWS::ApiGateway::DomainName",
        Properties: {
          DomainName: "localhost",
          SecurityPolicy: "TLS_1_2",
          MutualTlsAuthentication: { TruststoreUri: "s3://truststore/ca.pem" },
        },
      },
      Mapping: {
        Type: "AWS::ApiGatewayV2::ApiMapping",
        Properties: {
          ApiId: api,
          ApiMappingKey: "v2",
          DomainName: { Ref: "Domain" },
          Stage: { Ref: "Stage" },
        },
      },
    },
  };
}

type Handler = (event: Record<string, unknown>) => InvokeResult | Promise<InvokeResult>;

export const allow: Handler = (event) => ({ payload: policy("Allow", String(event.methodArn)) });

export function policy(
  Effect: string,
  Resource: string,
  context: Record<string, unknown> = { tenantId: "ten_1", currency: 0, isTest: true },
): unknown {
  const Statement = [{ Effect, Action: "execute-api:Invoke", Resource }];
  return { principalId: "usr_1", policyDocument: { Version: "2012-10-17", Statement }, context };
}

/** A gateway before an authorizer and a function that the test writes itself. */
export class GatewayUnderTest {
  readonly pki: Pki;
  readonly traced: TraceEntry[] = [];
  readonly events: { authorizer: Record<string, unknown>[]; work: Record<string, unknown>[] } = {
    authorizer: [],
    work: [],
  };
  authorizer: Handler = allow;
  work: Handler = () => ({ payload: { statusCode: 200, body: "{}" } });
  offsetMs = 0;
  #gateway: Gateway | undefined;

  constructor(pki: Pki) {
    this.pki = pki;
  }

  async start(template = gatewayTemplate()): Promise<void> {
    const { authority, server } = this.pki;
    this.#gateway = await startGateway({
      assembly: readAssembly(writeAssembly({ service: template }), {
        parameters: {},
        queueEndpoint: "http://127.0.0.1:1",
      }),
      invoker: { invoke: (arn, event) => this.#invoke(arn, event as Record<string, unknown>) },
      clock: { now: () => Date.now() + this.offsetMs },
      trace: { record: (entry) => this.traced.push(entry) },
      port: 0,
      serverCertificate: server.certificatePem,
      serverKey: server.keyPem,
      truststore: authority.certificatePem,
    });
  }

  async stop(): Promise<void> {
    await this.#gateway?.stop();
  }

  get port(): number {
    return this.#gateway?.port ?? 0;
  }

  async #invoke(arn: string, event: Record<string, unknown>): Promise<InvokeResult> {
    const name = arn.split(":").at(-1);
    if (name === "authorizer") {
      this.events.authorizer.push(event);
      return this.authorizer(event);
    }
    if (name !== "work") throw new InvocationRefused("ResourceNotFoundException", arn);
    this.events.work.push(event);
    return this.work(event);
  }

  tlsOptions(client: CertifiedKey | undefined = this.pki.client): ConnectionOptions {
    const { authority } = this.pki;
    const own = client && { cert: client.certificatePem, key: client.keyPem };
    return {
      host: "127.0.0.1",
      port: this.port,
      servername: "localhost",
      ca: authority.certificatePem,
      ...own,
    };
  }

  call(path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const { method = "GET", headers = {}, body, client = this.pki.client, ...more } = options;
    return new Promise((resolve, reject) => {
      const { cert, key, ca } = this.tlsOptions(client);
      const all = { Host: "localhost", ...headers };
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          servername: "localhost",
          ca,
          cert,
          key,
          method,
          path,
          headers: all,
          agent: false,
          ...more,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Bytes as they are over a good TLS connection; what comes back until the gateway closes it. */
  async raw(bytes: string | Buffer): Promise<string> {
    const socket = connectTls(this.tlsOptions());
    await once(socket, "secureConnect");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.write(bytes);
    await closed(socket);
    return answer;
  }

  /** Whether a handshake with these options succeeds, and what came back after it. */
  async handshake(options: ConnectionOptions): Promise<{ secure: boolean; answer: string }> {
    const socket: TLSSocket = connectTls(options);
    let secure = false;
    let answer = "";
    socket.on("secureConnect", () => {
      secure = true;
      socket.end("GET /v2/cards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    });
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    await closed(socket);
    return { secure, answer };
  }

  /** Sends these bytes and goes away. */
  async abandon(bytes: string): Promise<void> {
    const socket = connectTls(this.tlsOptions());
    await once(socket, "secureConnect");
    socket.write(bytes, () => socket.destroy());
    await closed(socket);
  }

  async plain(bytes: string): Promise<string> {
    const socket = connect({ host: "127.0.0.1", port: this.port });
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.write(bytes);
    await closed(socket);
    return answer;
  }
}

interface CallOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  client?: CertifiedKey;
  localAddress?: string;
  host?: string;
}

interface CallAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Unlike `once`, it takes an error for one more way to close. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on("close", () => resolve()));
}
