/** Why the local target passes something of the template over. */
export const IAM =
  "What a function may do is checked by its role's policies; what a resource or service may do, by the assertion tests alone.";
export const ENCRYPTION = "The engines keep their files unencrypted on this machine.";
export const OBSERVED =
  "Nothing is alarmed here; the trace, the function logs and the metrics in them show what happens.";
export const NAMING = "A label for people, with no effect.";
export const TAGS = "Tags have no effect.";
export const DURABILITY = "The data is one folder on this machine: it is kept or deleted as a whole.";
export const THROTTLING = "One developer's machine is not protected from its own requests.";

/** Whole types that are passed over. */
export const PASSED_OVER_TYPES: Record<string, string> = {
  "AWS::ApiGateway::Account": "The gateway writes no execution logs here.",
  "AWS::ApiGateway::Deployment": "There is one deployment: the template as it is.",
  "AWS::CDK::Metadata": NAMING,
  "AWS::CertificateManager::Certificate": "The development PKI makes the server's certificate.",
  "AWS::CloudWatch::Alarm": OBSERVED,
  "AWS::CloudWatch::Dashboard": OBSERVED,
  "AWS::Events::EventBusPolicy": IAM,
  "AWS::IAM::ManagedPolicy": IAM,
  "AWS::KMS::Alias": ENCRYPTION,
  "AWS::Lambda::Permission": IAM,
  "AWS::Logs::LogGroup": "Logs are files in the local directory.",
  "AWS::Logs::MetricFilter": OBSERVED,
  "AWS::Route53::RecordSet": "Loopback names need no public record.",
  "AWS::S3::Bucket": "No function reads a bucket; the gateway reads the truststore from a file.",
  "AWS::S3::BucketPolicy": IAM,
  "AWS::SNS::Subscription": OBSERVED,
  "AWS::SNS::Topic": OBSERVED,
  "AWS::SNS::TopicPolicy": IAM,
  "AWS::SQS::QueuePolicy": IAM,
  "AWS::SecretsManager::ResourcePolicy": IAM,
  "AWS::WAFv2::LoggingConfiguration": THROTTLING,
  "AWS::WAFv2::WebACL": THROTTLING,
  "AWS::WAFv2::WebACLAssociation": THROTTLING,
};
