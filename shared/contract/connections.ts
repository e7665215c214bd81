import * as z from "zod";
import { besideOtherFaults, id, listQuery, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** Where a Program meets its card network, its compliance provider, its bank and its custodian. */
export const ConnectionPort = z.enum(["processor", "compliance", "bank", "custodian"]);
export type ConnectionPort = z.output<typeof ConnectionPort>;

/** The formats that each port understands. */
export const adaptersOfPort = {
  processor: ["iso8583", "marqeta"],
  compliance: ["local", "http"],
  bank: ["iso20022"],
  custodian: ["deposits"],
} as const satisfies Record<ConnectionPort, readonly string[]>;

export const ConnectionAdapter = z.enum([
  ...adaptersOfPort.processor,
  ...adaptersOfPort.compliance,
  ...adaptersOfPort.bank,
  ...adaptersOfPort.custodian,
]);
export type ConnectionAdapter = z.output<typeof ConnectionAdapter>;

/** True as well for values that other rules reject. */
function isOfPort({ port, adapter }: { port: ConnectionPort; adapter: ConnectionAdapter }): boolean {
  const adapters: readonly string[] | undefined = adaptersOfPort[port];
  return (
    adapters === undefined || adapters.includes(adapter) || !ConnectionAdapter.safeParse(adapter).success
  );
}

export const ConnectionCreate = z
  .object({
    port: ConnectionPort,
    adapter: ConnectionAdapter,
    /** Where the platform calls the provider. Only `http` calls one. */
    url: text(2048).optional(),
  })
  .refine(isOfPort, {
    path: ["adapter"],
    message: "must be an adapter of the port",
    when: besideOtherFaults,
  });

export const ConnectionView = z.object({
  connectionId: id("connection"),
  port: ConnectionPort,
  adapter: ConnectionAdapter,
  url: z.string().optional(),
  /** Where the other side sends its events. */
  webhookUrl: z.url(),
  /** A default connection has the time when the Program was created. */
  dateCreated: timestamp,
  /** What the Tenant has asked for in place of it: the operator has to approve it. */
  requested: z
    .object({
      connectionId: id("connection"),
      adapter: ConnectionAdapter,
      url: z.string().optional(),
      dateRequested: timestamp,
    })
    .optional(),
  /** Earlier ones, whose URL and secret are still accepted. The newest comes first. */
  replaced: z
    .array(
      z.object({
        connectionId: id("connection"),
        adapter: ConnectionAdapter,
        webhookUrl: z.url(),
        acceptedUntil: timestamp,
      }),
    )
    .optional(),
});
export type ConnectionView = z.output<typeof ConnectionView>;

/**
 * The secret is shown once, in this answer. Without a sandbox the answer has none: the connection
 * takes effect when the operator approves it and hands the secret to the other side.
 */
export const ConnectionWithSecret = ConnectionView.extend({ secret: z.string().optional() });

const route = routesWith({ api: "platform", function: "account", level: "tenant" });

export const connectionRoutes = [
  route(
    "GET /account/programs/{programId}/connections",
    "read listConnections",
    "List a Program's connections",
    {
      query: listQuery(["port", "dateCreated"], {}, { orderBy: "port", sort: "asc" }),
      items: ConnectionView,
    },
  ),
  route(
    "POST /account/programs/{programId}/connections",
    "write createConnection",
    "Connect a Program to a card network, compliance provider, bank or custodian",
    {
      creates: "connectionId",
      body: ConnectionCreate,
      data: ConnectionWithSecret,
      errors: ["LIMIT_REACHED"],
      mayWait: true,
    },
  ),
  route(
    "DELETE /account/programs/{programId}/connections/{connectionId}",
    "write deleteConnection",
    "Go back to the default connection, or stop accepting a replaced one",
    { data: ConnectionView },
  ),
];
