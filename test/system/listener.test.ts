import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { fileKeys } from "../../shared/contract/file-report.ts";
import { givenCard, givenWallet } from "../harness/given-cards.ts";
import { givenDevice } from "../harness/given-device.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { type Cleared, clearingFileOf } from "../shared/adapters/clearing-records.ts";
import {
  amountOf,
  collectedOn,
  detailsOf,
  entryOf,
  notificationOf,
  refsOf,
  returnOf,
  textOf,
} from "../shared/adapters/iso20022/camt.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** As messages have them: DE32, DE37 and DE11. */
const acquirer = "012345";
const retrievalReference = "RRN000000001";
const systemTrace = "000042";

describe("a card network and a bank beside the running platform", () => {
  let given: GivenPlatform;
  let directory: string;
  let platform: Platform;
  let program: LiveProgram;
  let listener: ChildProcess;
  let network: NetworkClient;
  let doors: { port: number; healthPort: number; ca?: Buffer | undefined };

  beforeAll(async () => {
    given = await givenPlatform();
    ({ directory, platform, program } = given);
    listener = spawn(process.execPath, ["infra/commands/network.ts", "--tls"], {
      env: { ...process.env, LOCAL_DIR: directory, NETWORK_PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const isListening = async () => {
      for await (const line of createInterface(listener.stdout as Readable))
        if (line.startsWith("Listening on")) return;
    };
    await isListening();
    const { port, healthPort, ...files } = JSON.parse(
      readFileSync(path.join(directory, "network.json"), "utf8"),
    );
    const [ca, cert, key] = [files.ca, files.cert, files.key].map((file) => readFileSync(file));
    network = await NetworkClient.connect(port, "default", { ca, cert, key });
    doors = { port, healthPort, ca };
  });
  afterAll(async () => {
    network?.close();
    if (listener?.kill("SIGINT")) await once(listener, "exit");
    await given?.stop();
  });

  const balances = async (cardId: string) =>
    (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body.data;

  async function feed(kind: "clearing" | "bank", content: string) {
    const file = path.join(directory, `${kind}.txt`);
    writeFileSync(file, content);
    const { stdout } = await given.run("feed", kind, file);
    rmSync(file);
    return JSON.parse(stdout);
  }

  it("the listener is well, and hears only who has the network's certificate", async () => {
    const { port, healthPort, ca } = doors;
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${healthPort}`)).status).toBe(200));
    const tenants = [platform.connection.cert, platform.connection.key].map((file) => readFileSync(file));
    for (const [cert, key] of [[], tenants]) {
      const stranger = await NetworkClient.connect(port, "default", { ca, cert, key });
      const answer = stranger.send({ mti: "0800", fields: { 7: "1123181500", 11: "000001" } });
      expect(await Promise.race([answer, stranger.closed.then(() => "closed")])).toBe("closed");
    }
  });

  it("an authorization by message is settled by a clearing file, and its number is written nowhere", async () => {
    const { cardId } = await givenCard(program);
    const sourceWalletId = await givenWallet(program, 20_000);
    const body = { sourceWalletId, destinationType: 1, destinationId: cardId, amount: 9_000 };
    await program.call("POST /wallets/transfer", { body });
    const device = await givenDevice();
    const revealed = await program.call("POST /cards/{cardId}/reveal", {
      path: { cardId },
      body: { publicKey: device.publicKey },
    });
    const { cardNumber } = (await device.open(revealed.body.data.jwe)).content;
    const transmittedAt = new Date().toISOString().replace(/\D/g, "").slice(4, 14);
    const fields = {
      ...{ 2: cardNumber, 3: "000000", 4: "000000001234", 7: transmittedAt, 11: systemTrace, 18: "5411" },
      ...{ 32: acquirer, 37: retrievalReference, 49: "840" },
    };
    const answer = await network.send({ mti: "0100", fields });
    expect(answer).toMatchObject({ mti: "0110", fields: { 39: "00" } });
    expect(await network.send({ mti: "0101", fields })).toEqual(answer);
    expect(await balances(cardId)).toMatchObject({ availableBalance: 7_766, ledgerBalance: 9_000 });

    const named = { cardNumber, amount: 1_234, srcAmount: 1_234, transmittedAt };
    const record: Cleared = {
      ...named,
      acquirer: acquirer.replace(/^0/, ""),
      retrievalReference,
      systemTrace,
      referenceCode: "settled-once",
    };
    const file = clearingFileOf("first", record);
    expect(await feed("clearing", file)).toMatchObject({ status: "applied", records: 1, applied: 1 });
    expect(await balances(cardId)).toMatchObject({ availableBalance: 7_766, ledgerBalance: 7_766 });
    expect(await feed("clearing", file)).toMatchObject({ status: "duplicate", applied: 0, duplicates: 1 });
    expect(await balances(cardId)).toMatchObject({ availableBalance: 7_766, ledgerBalance: 7_766 });

    const { stdout } = await promisify(execFile)("grep", ["-rlaF", cardNumber, directory]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });

  it("a bank's file credits a Wallet, once", async () => {
    const { walletId, bankAccount } = platform.connection;
    const funds = async () =>
      (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.availableBalance;
    const before = await funds();
    const entry = entryOf(detailsOf(refsOf("bank-1") + amountOf("12.34") + textOf(walletId)));
    const file = notificationOf(bankAccount, entry);
    expect(await feed("bank", file)).toMatchObject({ status: "applied", applied: 1, suspense: 0 });
    expect(await feed("bank", `${file}\n`)).toMatchObject({ applied: 0, duplicates: 1 });
    expect(await funds()).toBe(before + 1_234);
  });

  it("a file that is replaced before it is read has a report, and so has the one in its place", async () => {
    const { bankAccount, files, store } = platform.connection;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const s3 = new S3Client({ endpoint: files.endpoint, region: store.region, credentials });
    const put = async (name: string, text: string) => {
      const entry = entryOf(detailsOf(refsOf(name + text) + amountOf("1.00") + textOf(text)));
      const object = { Bucket: files.bucket, Key: fileKeys.input("bank", name) };
      const Body = notificationOf(bankAccount, entry);
      return (await s3.send(new PutObjectCommand({ ...object, Body }))).ETag?.replaceAll('"', "");
    };
    const report = (name: string, etag = "") =>
      vi.waitFor(
        async () => {
          const object = { Bucket: files.bucket, Key: fileKeys.report("bank", name, etag) };
          const { Body } = await s3.send(new GetObjectCommand(object));
          return JSON.parse((await Body?.transformToString()) ?? "");
        },
        { timeout: 20_000, interval: 100 },
      );
    // The first one may be read before it is replaced.
    for (let attempt = 1, status = ""; status !== "incomplete"; attempt += 1) {
      expect(attempt).toBeLessThan(20);
      const name = `replaced-${attempt}`;
      const [first, second] = [await put(name, "one"), await put(name, "two")];
      expect(await report(name, second)).toMatchObject({ status: "applied", suspense: 1 });
      ({ status } = await report(name, first));
    }
    s3.destroy();
  });

  it("deposits in suspense, and returns before and after their deposits, leave the books in order", async () => {
    const { walletId, bankAccount } = platform.connection;
    const credit = (number: number, text: string) =>
      entryOf(detailsOf(refsOf(`books-${number}`) + amountOf("10.00") + textOf(text)));
    const back = (number: number, amount: string) => {
      const settled = `<RtrdIntrBkSttlmAmt Ccy="USD">${amount}</RtrdIntrBkSttlmAmt>`;
      return `<RtrId>back-${number}-${amount}</RtrId><OrgnlTxId>books-${number}</OrgnlTxId>${settled}${collectedOn(bankAccount)}`;
    };
    const early = await feed("bank", returnOf(back(1, "4.00"), back(2, "10.00")));
    expect(early).toMatchObject({ applied: 0, rejected: [{ record: 1 }, { record: 2 }] });
    const [matched, unmatched] = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    const entries = [
      ...matched.map((one) => credit(one, walletId)),
      ...unmatched.map((one) => credit(one, "?")),
    ];
    const report = await feed("bank", notificationOf(bankAccount, ...entries));
    expect(report).toMatchObject({ applied: 3, suspense: 3 });
    const late = [back(1, "4.00"), back(1, "6.00"), back(3, "1.00"), back(4, "10.00"), back(5, "2.50")];
    expect(await feed("bank", returnOf(...late))).toMatchObject({ applied: 4, duplicates: 1, rejected: [] });
    const { stdout } = await given.run("audit");
    expect(stdout).toContain("The books are in order.");
  });
});
