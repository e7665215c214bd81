import { createServer } from "node:http";
import { listen } from "./listen.ts";

let reads = 0;
let stored = "pepper-of-the-tests";

/** How often the pepper was read. */
export function pepperReads(): number {
  return reads;
}

export function storedPepper(): string {
  return stored;
}

/** What whoever reads it from now on gets. */
export function storePepper(secret: string): void {
  stored = secret;
}

/**
 * A Secrets Manager with one secret, the pepper of key hashes. Returns its endpoint. It does not
 * keep the process running.
 */
export async function startPepper(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      reads += 1;
      response.setHeader("content-type", "application/x-amz-json-1.1");
      response.end(JSON.stringify({ Name: "pepper", SecretString: stored }));
    });
  });
  return listen(server);
}
