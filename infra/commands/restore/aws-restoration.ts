import path from "node:path";
import { pathToFileURL } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { parseJson } from "../../command-line/connection-file.ts";
import { sayStep as say } from "../../command-line/print.ts";
import { runProgram } from "../../command-line/run-program.ts";
import { restoredTableName } from "../../constructs/names.ts";
import type { Settings } from "../../environments.ts";
import { scan } from "../audit/scan.ts";
import { deployEnvironment } from "../deploy/deploy-environment.ts";
import type { DeployOptions } from "../deploy/options.ts";
import { administerThere } from "../invoke-operator.ts";
import { repeatLostChanges } from "./changes-to-repeat.ts";
import type { ProgressFile } from "./progress-file.ts";
import {
  checkTime,
  findLostChanges,
  type RestoreOptions,
  restoreEnvironment,
} from "./restore-environment.ts";
import { admitTraffic, stoppedSettings, stopTraffic } from "./traffic.ts";
import type { Restoration } from "./whole-restore.ts";

interface Given {
  /** As declared, without `restoredTo` of this restore. */
  readonly settings: Settings;
  readonly options: RestoreOptions;
  readonly deploy: Pick<
    DeployOptions,
    "caller" | "caller-domain" | "patience" | "ignore-quotas" | "ignore-trail"
  >;
  readonly progress: ProgressFile;
}

const Audited = z.object({ faults: z.array(z.string()) });

/** A restore of an environment in AWS. */
export class AwsRestoration implements Restoration {
  readonly #given: Given;
  readonly #restored: Settings;
  readonly #lambda: LambdaClient;

  constructor(given: Given) {
    this.#given = given;
    const { settings, options } = given;
    this.#restored = { ...settings, restoredTo: `${options.to.toISOString().slice(0, 19)}Z` };
    this.#lambda = new LambdaClient({ region: settings.region });
  }

  checkTime = (): Promise<void> => checkTime(this.#given.options);

  stopTraffic = (): Promise<void> => stopTraffic(this.#place());

  admitTraffic = (): Promise<void> => admitTraffic(this.#place());

  restoreTables = async (): Promise<void> => {
    const result = await restoreEnvironment({ ...this.#given.options, isPart: true });
    if (!result.serves) this.#given.progress.accept(result.accepted);
  };

  audit = async (): Promise<boolean> => {
    const { shown } = await runCommandFile("audit", this.#storeFile(), "--json");
    const result = Audited.safeParse(parseJson(shown)).data;
    // An audit that ended early has found nothing.
    if (result === undefined) throw new Error("The audit did not finish, so the books are not proved.");
    return result.faults.length === 0;
  };

  switchOver = (): Promise<void> => {
    const { accepted } = this.#given.progress;
    return this.#deploy(stoppedSettings(this.#restored), { "no-caller": true, accept: [...accepted] });
  };

  repeatChanges = async (): Promise<readonly string[]> => {
    const { settings, progress } = this.#given;
    const changes = await findLostChanges(settings, this.#table("accounts"));
    return repeatLostChanges(changes, progress, async ({ command, input }) => {
      await administerThere(settings, command, input);
      say(`${command} ${JSON.stringify(input)}: repeated`);
    });
  };

  mendLists = async (): Promise<readonly string[]> => {
    const differing: string[] = [];
    for (const programId of await this.#programs()) {
      const words = [this.#storeFile(), programId];
      if ((await runCommandFile("lists", "check", ...words)).exitStatus === 0) continue;
      if ((await runCommandFile("lists", "rebuild", ...words)).exitStatus !== 0) differing.push(programId);
    }
    return differing;
  };

  check = async (): Promise<void> => {
    await this.#deploy(this.#restored, { "no-caller": false, accept: [] });
    const { name, restoredTo } = this.#restored;
    say(
      `Commit in infra/environments.ts, ${name}: restoredTo: "${restoredTo}". Without it, the next deployment is refused.`,
    );
  };

  #place() {
    const { settings, options } = this.#given;
    return { lambda: this.#lambda, settings, pollMs: options.pollMs, say };
  }

  #table(table: "issuing" | "accounts"): string {
    const { settings, options } = this.#given;
    return restoredTableName(settings.name, table, options.to.toISOString());
  }

  #storeFile(): string {
    const { settings, options } = this.#given;
    return path.join(options.connections, settings.name, "restored.json");
  }

  async #programs(): Promise<string[]> {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: this.#given.settings.region }));
    const input = { FilterExpression: "sk = :program", ExpressionAttributeValues: { ":program": "PROGRAM" } };
    const found: string[] = [];
    for await (const { programId } of scan(client, this.#table("accounts"), input))
      found.push(String(programId));
    return found.toSorted();
  }

  async #deploy(settings: Settings, options: Pick<DeployOptions, "no-caller" | "accept">): Promise<void> {
    say("templates and bundles are written, which takes one to two minutes");
    const { environment, connections } = this.#given.options;
    const assembly = await writeTemplates(settings);
    const whole = {
      ...this.#given.deploy,
      ...options,
      environment,
      connections,
      region: "first" as const,
      bootstrap: false,
      "keep-data": false,
      assembly,
      ofCdk: ["--require-approval", "never"],
    };
    await deployEnvironment(whole, () => settings);
  }
}

/** In a process of its own, since it reads its store once. */
async function runCommandFile(name: string, ...words: string[]) {
  const file = path.resolve(import.meta.dirname, "..", `${name}.ts`);
  const ran = await runProgram(process.execPath, [file, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  if (!words.includes("--json")) process.stdout.write(ran.shown);
  return ran;
}

/** In a process of its own, which Ctrl-C ends at once: a synthesis does not give way. */
async function writeTemplates(settings: Settings): Promise<string> {
  const app = path.resolve(import.meta.dirname, "../../app.ts");
  const script = `const { synthesizeSettings } = await import(${JSON.stringify(pathToFileURL(app).href)});
console.log(synthesizeSettings(JSON.parse(process.argv[1])));`;
  const words = ["--input-type=module", "--eval", script, JSON.stringify(settings)];
  const { exitStatus, shown } = await runProgram(process.execPath, words, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (exitStatus !== 0) throw new Error("The templates could not be written.");
  return shown.trim().split("\n").at(-1) ?? "";
}
