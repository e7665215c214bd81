type Variables = Readonly<Record<string, string | undefined>>;

/** Whether the SDK's own settings send what is asked of AWS elsewhere, as to an emulator. */
export function isEmulated({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_CLOUDFORMATION }: Variables): boolean {
  return Boolean(AWS_ENDPOINT_URL_CLOUDFORMATION ?? AWS_ENDPOINT_URL);
}

/** Whether buckets stand in the path: of an endpoint of one's own there is no host for each bucket. The CDK's command line tool asks the same. */
export function hasBucketsInPath({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 }: Variables): boolean {
  return Boolean(AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL);
}
