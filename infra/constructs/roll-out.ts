/** What a deployment does, one by one. */
export interface RollOutSteps {
  /** Deploys all stacks but the edge, in their order. */
  deployInner(): Promise<void>;
  /** Writes the CAs that the environment trusts now to the bucket, unless they are there, and returns their version. */
  publishTruststore(): Promise<string>;
  /** Deploys the hosts, with this version of the truststore. */
  deployEdge(truststoreVersion: string): Promise<void>;
}

/**
 * Rolls an environment out. Only the certificates function knows the CAs and can have their keys sign: so it is deployed first, and the hosts, which trust those
 * CAs, last.
 */
export async function rollOut(steps: RollOutSteps): Promise<void> {
  await steps.deployInner();
  await steps.deployEdge(await steps.publishTruststore());
}
