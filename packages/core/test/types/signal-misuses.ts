import type { Misuse } from "./misuses.ts";

const signal = `{ a: DefineSignal<null> }`;

export const signalMisuses: readonly Misuse[] = [
  {
    name: "continues to a signal",
    code: `defineUnionJobTypes<{ b: { input: null; output: DefineContinuationOutput<"a"> } } & ${signal}>();`,
    says: `"Error: job type 'b' continues to 'a', which is a signal: wait for it as a blocker"`,
  },
  {
    name: "starts a signal",
    code: `void queuert.startJobSequence({ client, typeName: "approval", input: null });`,
    says: `"Error: job type 'approval' is a signal: use sendSignals or expectSignal"`,
  },
  {
    name: "implements a signal",
    code: `queuert.createWorker().implementJobType({ typeName: "approval", process: async ({ complete }) => complete({ by: "" }) });`,
    says: `"Error: job type 'approval' is a signal, which no worker implements"`,
  },
  {
    name: "sends a job type",
    code: `void queuert.sendSignals({ client, signals: [{ typeName: "send", key: "k", payload: { sentAt: new Date() } }] });`,
    says: `"Error: job type 'send' is not a signal: define it with DefineSignal"`,
  },
  {
    name: "limits the wait for blockers that a job needs",
    code: `void queuert.startJobSequence({ client, typeName: "refund", input: { orderId: 1 }, waitAtMostMs: 5, startBlockers: async () => [await queuert.expectSignal({ client, typeName: "approval", key: "k" })] });`,
    says: `"Error: job type 'refund' cannot run without its blockers: define each as DefineBlocker<…, 'optional'>"`,
  },
  {
    name: "limits the wait for nothing",
    code: `void queuert.startJobSequence({ client, typeName: "send", input: { to: "", at: new Date() }, waitAtMostMs: 5 });`,
    says: `"Error: job type 'send' declares no blockers, so it takes no waitAtMostMs"`,
  },
  {
    name: "expects a job type",
    code: `void queuert.expectSignal({ client, typeName: "send", key: "k" });`,
    says: `"Error: job type 'send' is not a signal: define it with DefineSignal"`,
  },
  {
    name: "sends a wrong payload",
    code: `void queuert.sendSignals({ client, signals: [{ typeName: "approval", key: "k", payload: { by: 1 } }] });`,
    says: `Type 'number' is not assignable to type 'string'`,
  },
];
