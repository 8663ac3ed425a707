/** What an output can ask of the application around it. An output never acts on its own. */
export interface OutputActions {
  /**
   * Shows a line of the cell that ran, or of the cell that ran as number `execution` where the output names another. Left
   * out where no cell is in sight.
   */
  onOpenLine?(line: number, execution?: number): void
  /** A link was clicked. Nothing is opened before the application has looked at it. */
  onOpenLink(url: string): void
  onSave(name: string, mime: string, data: Blob): void
  /** Opens all rows of a variable of which the output shows the first. */
  onViewTable?(variable: string): void
  /** Puts a block of code into a cell of its own. */
  onUseCode?(code: string, language: string): void
  /** Pins a value, table or chart of the cell; `find` names what was pointed at. */
  onPin?(find?: string): void
  /** Saves all of an output of which the record keeps only the start. */
  onSaveAll?(): void
}
