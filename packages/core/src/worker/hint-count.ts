// The jobs that notifications have promised and no acquisition has looked for yet. They are as good as taken: what comes on
// top of them is for others, however many messages arrive while an acquisition is on its way.
export class HintCount {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(count: number): void {
    this.#count += count;
  }

  /** An acquisition that began when there were so many has been answered: what it found holds slots of its own. */
  answered(count: number): void {
    this.#count -= count;
  }
}
