import { deepStrictEqual, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { connectionFile } from "../../../infra/development/connection.ts";
import { TransferStatus } from "../../../shared/contract/enums.ts";
import type { Random } from "../../harness/random.ts";
import type { PlatformProcess } from "../../system/platform-process.ts";
import { withClient } from "./cards.ts";
import type { Answer } from "./client.ts";

const callers = 4;
const fundingMinor = 100_000_000;

interface Given {
  readonly directory: string;
  /** The one that runs now. */
  readonly platform: () => PlatformProcess;
  readonly random: Random;
}

/**
 * Transfers from a Wallet with shards, and reads it, while platform and store are killed. Each
 * request is repeated under its key until it is answered.
 */
export async function startTransfers({ directory, platform, random }: Given) {
  const { programId } = platform().connection();
  const once = (endpoint: string, body?: object, headers = {}) =>
    withClient(platform(), (client) => client.call(endpoint, body, headers));
  const sourceWalletId: string = (await once("POST /wallets", { name: "Hot" })).body.data.walletId;
  const destinationId: string = (await once("POST /wallets", { name: "Filled" })).body.data.walletId;
  await once(`POST /wallets/${sourceWalletId}/bank-deposit`, { amount: fundingMinor });
  let isStopped = false;
  let transfers = 0;
  let movedMinor = 0;
  let readings = 0;

  async function untilAnswered(endpoint: string, body?: object): Promise<Answer> {
    const headers = body && { "Idempotency-Key": randomUUID() };
    for (;;) {
      try {
        return await once(endpoint, body, headers);
      } catch {
        await delay(200);
      }
    }
  }

  async function transfer(): Promise<void> {
    const greatest = random.pick([
      1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 4_000_000, 8_000_000,
    ]);
    const amount = 1 + random.below(greatest);
    const allowPartial = random.chance(0.2);
    const body = { sourceWalletId, destinationType: 0, destinationId, amount, allowPartial };
    const { transStatus, transferredAmount } = (await untilAnswered("POST /wallets/transfer", body)).body
      .data;
    const isAnswered = transStatus === TransferStatus.partial ? allowPartial : true;
    ok(isAnswered && (transStatus !== TransferStatus.approved || transferredAmount === amount));
    transfers += 1;
    movedMinor += transferredAmount;
  }

  const available = async (walletId: string): Promise<number> =>
    (await untilAnswered(`GET /wallets/${walletId}`)).body.data.availableBalance;

  async function caller(): Promise<void> {
    while (!isStopped) {
      await transfer();
      await delay(random.below(200));
    }
  }

  /** Only transfers change the balance: it never rises. */
  async function reader(): Promise<void> {
    for (let last = fundingMinor; !isStopped; readings += 1) {
      const next = await available(sourceWalletId);
      ok(next <= last, `The Wallet had ${last}, then ${next}.`);
      last = next;
      await delay(random.below(400));
    }
  }

  /** As contention would. */
  async function splitter(): Promise<void> {
    const file = new URL("split-wallet.ts", import.meta.url).pathname;
    while (!isStopped) {
      const split = [file, connectionFile(directory), programId, sourceWalletId];
      await promisify(execFile)(process.execPath, split).catch(() => undefined);
      await delay(2_000);
    }
  }

  const running = Promise.all([...Array.from({ length: callers }, caller), reader(), splitter()]);
  // Awaited at the end.
  running.catch(() => undefined);
  return {
    /** Waits until so many more are answered. */
    proceed: async (count: number) => {
      for (const aim = transfers + count; transfers < aim; ) await Promise.race([delay(50), running]);
    },
    stop: async () => {
      isStopped = true;
      await running;
      deepStrictEqual(
        {
          source: await available(sourceWalletId),
          destination: await available(destinationId),
          transfers: (await untilAnswered(`GET /wallets/${sourceWalletId}/transfers?limit=1`)).body.total,
        },
        { source: fundingMinor - movedMinor, destination: movedMinor, transfers },
      );
      return `${transfers} transfers from a Wallet with shards, ${readings} readings of it`;
    },
  };
}
