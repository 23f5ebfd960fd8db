const shared = globalThis as { stopWorker?: () => Promise<void> };

export const register = async () => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { getQueuert } = await import("./lib/queuert");
  const { createMailWorker } = await import("./lib/worker");
  await shared.stopWorker?.(); // a reload in development: the worker of the old code
  const worker = await createMailWorker();
  shared.stopWorker = (await worker.start({ shutdownGraceMs: 100 })).stop;
  process.once("SIGTERM", async () => {
    await (await getQueuert()).close(); // stops its workers
    process.exit(0);
  });
};
