/** What an entry says in its details. They come from any version of the application: nothing about them is certain. */
export class Facts {
  protected readonly fields: Readonly<Record<string, unknown>>

  constructor(details: unknown) {
    const isObject = typeof details === 'object' && details !== null && !Array.isArray(details)
    this.fields = isObject ? (details as Record<string, unknown>) : {}
  }

  text(name: string): string {
    const value = this.fields[name]
    return typeof value === 'string' ? value : ''
  }

  number(name: string): number {
    const value = this.fields[name]
    return typeof value === 'number' ? value : 0
  }

  is(name: string): boolean {
    return this.fields[name] === true
  }

  list(name: string): readonly unknown[] {
    const value = this.fields[name]
    return Array.isArray(value) ? value : []
  }

  at(name: string): this {
    return new (this.constructor as new (details: unknown) => this)(this.fields[name])
  }
}
