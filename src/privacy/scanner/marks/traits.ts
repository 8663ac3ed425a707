import { classOf, digit, letter, separatorOf, word } from '../classes.ts'
import { traits } from './layout.ts'

/** As part of a name: letters 1–26 whatever their case, digits 27, signs that join the words of a name 28; 0 ends it. */
export const partOfName = classOf.map((bits, code) =>
  bits & letter ? code & 31 : bits & digit ? 27 : bits & word ? 28 : 0,
)
partOfName[0x2d] = 28
partOfName[0x2e] = 28

/** Signs behind a short number that may make it part of something longer. */
export const goesOn = new Uint8Array(256)
for (const sign of ' -./:()$°\u00a0\u00b7') goesOn[sign.charCodeAt(0)] = 1
// Separators beyond Latin-1, by their last eight bits; what else has these is looked at more closely, no more.
for (let code = 256; code < separatorOf.length; code++) if (separatorOf[code]) goesOn[code & 255] = 1

/** Signs between a name and the one that gives it a value: `"password" : …`, `token?: …`. */
export const betweenNameAndSign = new Uint8Array(128)
for (const sign of ' "\'`]:\\?|') betweenNameAndSign[sign.charCodeAt(0)] = 1

/** All of these in one byte a character, for the sieve. */
export const traitOf = partOfName.map(
  (part, code) =>
    part |
    (separatorOf[code] ? traits.separates : 0) |
    (goesOn[code & 255] ? traits.goesOn : 0) |
    (betweenNameAndSign[code] ? traits.gap : 0),
)
