// The leases of a client's workers. One blocked event loop stops the renewals of them all. Whichever worker is first to
// run again must therefore neither acquire nor reclaim a job that another worker of this process still runs.

/** The leases of one worker. */
export interface LeaseHolder {
  /** After a blocked event loop: renews the leases first. Null if all are safe. */
  renewIfLate(): Promise<void> | null;
  /** The types of which a held lease has expired, or is about to, and could not be renewed. */
  readonly expiredTypes: ReadonlySet<string>;
  /** Another worker's types can be acquired again. */
  recovered(): void;
}

export class OwnLeases {
  readonly #holders = new Set<LeaseHolder>();

  add(holder: LeaseHolder): void {
    this.#holders.add(holder);
  }

  remove(holder: LeaseHolder): void {
    this.#holders.delete(holder);
    if (holder.expiredTypes.size > 0) this.reportRecovery();
  }

  /** Renews all leases that may have expired, but not those of `except`. Null if all are safe. */
  renewIfLate(except?: LeaseHolder): Promise<unknown> | null {
    let renewals: Promise<void>[] | null = null;
    for (const holder of this.#holders) {
      const renewal = holder === except ? null : holder.renewIfLate();
      if (renewal !== null) (renewals ??= []).push(renewal);
    }
    return renewals === null ? null : Promise.all(renewals);
  }

  hasExpired(typeName: string): boolean {
    for (const { expiredTypes } of this.#holders) if (expiredTypes.has(typeName)) return true;
    return false;
  }

  get anyHasExpired(): boolean {
    for (const { expiredTypes } of this.#holders) if (expiredTypes.size > 0) return true;
    return false;
  }

  /** A worker's types can be acquired again, by every worker. */
  reportRecovery(): void {
    for (const holder of this.#holders) holder.recovered();
  }
}
