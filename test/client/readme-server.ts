import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { freePort } from "../harness/listen.ts";

const root = path.resolve(import.meta.dirname, "../..");
export const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

/** The headers of what is sent with the secret. */
export function sent(of: string): Record<string, string> {
  const at = new Date();
  return {
    "webhook-id": "ntf_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("ntf_1", at, of),
  };
}

/** The program of the README that names this test, in its own process, which listens at `url`. */
export async function startReadmeServer(test: string, environment: Record<string, string>) {
  const directory = mkdtempSync(path.join(tmpdir(), "readme-server-"));
  const readme = readFileSync(path.join(root, "client/README.md"), "utf8");
  const [, block] = readme.split(`run by test/client/${test} -->\n\`\`\`ts\n`);
  if (block === undefined) throw new Error(`The README has no program that ${test} runs.`);
  const text = block.slice(0, block.indexOf("```"));
  const program = path.join(directory, "server.ts");
  const client = JSON.stringify(path.join(root, "client/src/card-issuing.ts"));
  writeFileSync(program, text.replace('"card-issuing-client"', client));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const server = spawn(process.execPath, [program], {
    env: { ...process.env, ...environment, PORT: String(port), NODE_OPTIONS: "" },
  });
  let printed = "";
  server.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const stop = () => server.kill();
  for (let tries = 0; tries < 300; tries += 1) {
    if (await fetch(url).catch(() => undefined)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const post = (headers: Record<string, string>, body: string) =>
    fetch(url, { method: "POST", headers, body });
  return { lines: text.trim().split("\n").length, post, printed: () => printed, stop };
}
