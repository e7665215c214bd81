import * as z from "zod";
import { CryptoAddress } from "./cards.ts";
import { id, positiveAmount, text } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { SandboxDeposit, SandboxDepositResponse } from "./sandbox.ts";

/** What a custodian reports of one output of a transaction to one address. */
export const CustodyEvent = z.object({
  type: z.enum(["deposit.detected", "deposit.confirmed", "deposit.dropped"]),
  chain: CryptoAddress.shape.chain,
  address: text(100),
  txHash: z.string().regex(/^(0x)?[0-9A-Fa-f]{64}$/, "must be 64 hexadecimal digits"),
  /**
   * Tells several deposits of one transaction to one address apart: the number of its output or
   * log.
   */
  outputIndex: z.int().min(0).default(0),
  asset: text(32),
  /** Minor units of `currency`. */
  amount: positiveAmount,
  currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code"),
});
export type CustodyEvent = Readonly<z.output<typeof CustodyEvent>>;

/** `processor-events` applies it by direct invocation. */
export const CustodyReport = z.object({
  kind: z.literal("custody_report"),
  programId: id("program"),
  event: CustodyEvent,
});
export type CustodyReport = z.output<typeof CustodyReport>;

export const SandboxAddressDeposit = SandboxDeposit.extend({
  chain: CryptoAddress.shape.chain,
  address: text(100),
});

const route = routesWith({ api: "sandbox", function: "sandbox", movesFunds: true });

export const custodySandboxRoutes = [
  route(
    "POST /deposits",
    "money depositAtAddress",
    "Receive a digital-asset deposit on the Card that has the address",
    {
      body: SandboxAddressDeposit,
      data: SandboxDepositResponse.extend({ cardId: id("card") }),
      errors: ["NOT_FOUND"],
    },
  ),
] as const;
