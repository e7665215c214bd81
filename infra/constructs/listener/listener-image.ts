import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { bundleOf } from "../start-bundling.ts";

/** The release of Node that tests run on, for both architectures, by its content. */
const baseImage =
  "public.ecr.aws/docker/library/node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6";

/** The directory of an image with the bundle of the listener, where stacks are bundled. */
export function writeListenerImage(scope: Construct): string {
  const directory = mkdtempSync(path.join(tmpdir(), "listener-"));
  const bundle = Stack.of(scope).bundlingRequired ? bundleOf("listener") : [];
  for (const [name, contents] of bundle) writeFileSync(path.join(directory, name), contents);
  const lines = [
    `FROM ${baseImage}`,
    "ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps",
    "WORKDIR /listener\nCOPY *.mjs *.map ./",
    "USER node",
    'CMD ["node", "handler.mjs"]',
  ];
  writeFileSync(path.join(directory, "Dockerfile"), `${lines.join("\n")}\n`);
  return directory;
}
