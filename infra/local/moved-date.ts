/** Moves this thread's `Date` by the shared offset, so that its code needs no other clock. */
export function moveDate(sharedOffset: SharedArrayBuffer): void {
  const offset = new BigInt64Array(sharedOffset);
  const RealDate = Date;
  const now = () => RealDate.now() + Number(Atomics.load(offset, 0));
  const MovedDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, property, receiver) => (property === "now" ? now : Reflect.get(target, property, receiver)),
  });
  RealDate.prototype.constructor = MovedDate;
  globalThis.Date = MovedDate;
}
