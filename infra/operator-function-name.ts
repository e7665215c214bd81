/** The one function with a name of its own: administration finds it by the environment's name. */
export function operatorFunctionName(environmentName: string): string {
  return `card-issuing-${environmentName}-operator`;
}
