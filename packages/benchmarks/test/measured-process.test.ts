import { expect, it } from "vitest";
import { startMeasuredProcess } from "../src/run/measured-process.ts";

const mb = 1_048_576;

it("does not count the memory of the harness for the peak of a measured process", async () => {
  // Each page is written to, so that it is resident when the process is forked.
  const ballast = Buffer.alloc(700 * mb, 1);
  const measured = startMeasuredProcess(["--import", import.meta.resolve("tsx")]);
  try {
    const { rssMb, peakRssMb } = await measured.ask("metrics", {});
    expect(ballast.length / mb).toBeGreaterThan(500);
    expect(peakRssMb).toBeGreaterThanOrEqual(rssMb - 1);
    expect(peakRssMb).toBeLessThan(500);
  } finally {
    await measured.close();
  }
});
