/** What a deployment does, one by one. */
export interface RollOutSteps {
  /** Deploys what is kept. */
  deployData(): Promise<void>;
  /** Deploys what may be replaced, with this version of the truststore; with none, its hosts stay as they are, or away. */
  deployService(truststoreVersion: string | undefined): Promise<void>;
  /** The version that the gateway goes by now; undefined before there is any. */
  currentVersion(): Promise<string | undefined>;
  /** Writes the CAs that the environment trusts now to the bucket, unless they stand there, and gives their version. */
  publishTruststore(): Promise<string>;
}

/**
 * Rolls an environment out. Which CAs there are the certificates function knows, which alone can have their keys sign: so it is deployed first, and the hosts
 * that go by the truststore after it, where that has changed.
 */
export async function rollOut(steps: RollOutSteps): Promise<void> {
  await steps.deployData();
  const current = await steps.currentVersion();
  await steps.deployService(current);
  const version = await steps.publishTruststore();
  if (version !== current) await steps.deployService(version);
}
