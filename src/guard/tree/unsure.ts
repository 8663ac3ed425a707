/**
 * Thrown by the quick parsers at the first thing that they do not know for certain. The text then goes to tree-sitter,
 * which reads everything and says what is wrong with it; a quick parser never guesses.
 */
export class Unsure extends Error {}

/** One for all: making an error costs more than reading a line. */
const unsure = new Unsure('not certain')

export function giveUp(): never {
  throw unsure
}
