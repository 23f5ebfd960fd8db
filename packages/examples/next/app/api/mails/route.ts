import { getQueuert } from "../../../lib/queuert";

export const POST = async (request: Request) => {
  const queuert = await getQueuert();
  const { to } = (await request.json()) as { to: string };
  const options = { autocommit: true, typeName: "mail", input: { to } } as const;
  const { id } = await queuert.startJobSequence(options);
  if (to === "slow") return Response.json({ id });
  const done = { id, typeName: "mail", timeoutMs: 10_000 } as const;
  const { output } = await queuert.waitForJobSequenceCompletion(done);
  return Response.json({ output });
};
