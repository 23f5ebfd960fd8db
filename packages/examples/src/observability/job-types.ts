import {
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
} from "queuert";

/** An order: charged and packed first, then shipped, then confirmed. */
export const jobTypes = defineUnionJobTypes<{
  "charge-card": { input: { orderId: number }; output: { chargeId: string } };
  "pack-order": { input: { orderId: number }; output: { parcel: string } };
  "ship-order": {
    input: { orderId: number };
    output: DefineContinuationOutput<"send-receipt">;
    blockers: [DefineBlocker<"charge-card">, DefineBlocker<"pack-order">];
  };
  "send-receipt": {
    input: DefineContinuationInput<{ orderId: number; parcel: string }>;
    output: { sentTo: string };
  };
}>();
