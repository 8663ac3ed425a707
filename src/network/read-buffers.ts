/** What is read from a host at once. Most answers fit into the small one; a download costs a third less with large reads. */
const small = 64 * 1024
const large = 1024 * 1024
/** Many slow downloads at once must not fill the memory: further ones stay with small reads. */
const maxLarge = 32

/** The buffer of one connection, used again for each read. */
export interface Lent {
  /** Called before each read. */
  readonly next: () => Buffer
  filled(bytes: number): void
  readonly giveBack: () => void
}

export class ReadBuffers {
  #large = 0

  /** Begins small, and becomes large once a read has filled it. */
  lend(): Lent {
    let buffer: Buffer = Buffer.allocUnsafeSlow(small)
    let isFull = false
    let isOver = false
    return {
      next: () => {
        if (isFull && !isOver && buffer.length === small && this.#large < maxLarge) {
          this.#large++
          buffer = Buffer.allocUnsafeSlow(large)
        }
        return buffer
      },
      filled: bytes => {
        isFull = bytes === buffer.length
      },
      giveBack: () => {
        if (!isOver && buffer.length === large) this.#large--
        isOver = true
      },
    }
  }
}
