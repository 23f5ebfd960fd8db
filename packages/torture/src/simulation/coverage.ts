// The points that seeds have reached: results of statements, faults at points of statements, and overlapping statements of two
// processes. It also finds the next point to aim at.
import type { Random } from "../random.ts";

/** A statement on its way to the store, and its answer on the way back. */
export type Phase = "sent" | "answered";

/** A fault at the `nth` time that a statement is at a point. */
export interface Aim {
  /** `hold`: the statement stands still until another process has run `beside`. */
  readonly kind: "kill" | "freeze" | "hold";
  readonly method: string;
  readonly phase: Phase;
  readonly nth: number;
  readonly beside: string | null;
}

const aimedKinds = ["kill", "freeze"] as const;
const phases = ["sent", "answered"] as const;

/** They change nothing and wait for nothing. */
const isRead = (method: string): boolean => /^(get|list|summarize|next)/.test(method);

const resultsIn = (result: unknown): readonly unknown[] => {
  if (Array.isArray(result)) return result as readonly unknown[];
  if (typeof result !== "object" || result === null) return [];
  const { results, jobs } = result as { readonly results?: unknown; readonly jobs?: unknown };
  return [result, ...resultsIn(results), ...resultsIn(jobs)];
};

const textOf = (result: unknown): string => {
  if (typeof result !== "object" || result === null) return "";
  const given = result as Readonly<Record<string, unknown>>;
  const { kind, reason, deduplicated, reclaimedFrom, isLimited, job } = given;
  const status = (job as { readonly status?: string } | undefined)?.status ?? given["status"];
  const words = [
    ...[kind, reason, status].filter((word) => typeof word === "string"),
    ...(deduplicated === true ? ["deduplicated"] : []),
    ...(typeof reclaimedFrom === "string" ? ["reclaimed"] : []),
    ...(isLimited === true ? ["limited"] : []),
  ];
  return words.join(" ");
};

/** As it travels between processes. */
export interface Reached {
  readonly counts: Readonly<Record<string, number>>;
  readonly methods: readonly string[];
  readonly workerMethods: readonly string[];
}

export class Coverage {
  readonly #counts = new Map<string, number>();
  readonly #methods = new Set<string>();
  /** Only workers are hit. */
  readonly #workerMethods = new Set<string>();

  reach(feature: string): void {
    this.#counts.set(feature, (this.#counts.get(feature) ?? 0) + 1);
  }

  /** A statement of a process began, beside those of other processes. */
  method(name: string, others: Iterable<string>): void {
    this.#methods.add(name);
    if (isRead(name)) return;
    for (const other of others) {
      if (!isRead(other)) this.reach(`beside: ${[name, other].sort().join(" and ")}`);
    }
  }

  result(method: string, result: unknown): void {
    if (isRead(method)) return;
    for (const one of resultsIn(result)) {
      const text = textOf(one);
      if (text !== "") this.reach(`result: ${method} ${text}`);
    }
  }

  workerMethod(name: string): void {
    this.#workerMethods.add(name);
  }

  add({ counts, methods, workerMethods }: Reached): void {
    for (const [feature, count] of Object.entries(counts)) {
      this.#counts.set(feature, (this.#counts.get(feature) ?? 0) + count);
    }
    for (const method of methods) this.#methods.add(method);
    for (const method of workerMethods) this.#workerMethods.add(method);
  }

  get reached(): Reached {
    return {
      counts: Object.fromEntries(this.#counts),
      methods: [...this.#methods].sort(),
      workerMethods: [...this.#workerMethods].sort(),
    };
  }

  /** Every fault at every point, and every pair. */
  #possible(): readonly { readonly feature: string; readonly aim: Omit<Aim, "nth"> }[] {
    const { methods, workerMethods } = this.reached;
    const faults = workerMethods.flatMap((method) =>
      aimedKinds.flatMap((kind) =>
        phases.map((phase) => ({
          feature: `fault: ${kind} while ${method} is ${phase}`,
          aim: { kind, method, phase, beside: null },
        })),
      ),
    );
    const writes = methods.filter((method) => !isRead(method));
    const pairs = writes.flatMap((method, index) =>
      writes.slice(index).map((beside) => ({
        feature: `beside: ${method} and ${beside}`,
        aim: { kind: "hold" as const, method, phase: "sent" as const, beside },
      })),
    );
    return [...faults, ...pairs];
  }

  /** Somewhere that was not reached, or else seldom. */
  aim(random: Random): Aim | null {
    const counted = this.#possible().map((one) => ({
      ...one,
      count: this.#counts.get(one.feature) ?? 0,
    }));
    const least = counted.toSorted((one, other) => one.count - other.count).slice(0, 40);
    const found = least[random.below(least.length)];
    return found === undefined ? null : { ...found.aim, nth: 1 + random.below(3) };
  }

  /** Lines for people. */
  report(): readonly string[] {
    const possible = this.#possible();
    const families = ["fault", "beside"].map((family) => {
      const own = possible.filter(({ feature }) => feature.startsWith(`${family}:`));
      const missing = own.filter(({ feature }) => !this.#counts.has(feature));
      const names = missing.slice(0, 12).map(({ feature }) => feature.slice(family.length + 2));
      const rest = missing.length > 12 ? `, and ${missing.length - 12} more` : "";
      const left = missing.length === 0 ? "" : `; not: ${names.join(", ")}${rest}`;
      return `${family}: ${own.length - missing.length} of ${own.length} reached${left}`;
    });
    const results = [...this.#counts].filter(([feature]) => feature.startsWith("result:"));
    const rare = results
      .toSorted(([, one], [, other]) => one - other)
      .slice(0, 8)
      .map(([feature, count]) => `${feature.slice(8)} (${count})`);
    return [...families, `result: ${results.length} reached; the rarest: ${rare.join(", ")}`];
  }
}
