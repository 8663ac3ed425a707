#!/usr/bin/env node

// Checks a Countersign audit bundle, or any part of a record, with nothing but Node 18 or newer.
//
//   node verify.mjs BUNDLE.zip|FOLDER [--trust FINGERPRINT] [--against CHECKPOINTS.jsonl] [--json]
//
// The rules, for whoever wants to write a checker of their own:
//   entry    canonical JSON (RFC 8785), UTF-8
//   hash     SHA-256(0x00 ‖ hash of the entry before (32 bytes; zeros before the first) ‖ entry)
//   tree     Merkle tree of RFC 9162 over these hashes: SHA-256(0x01 ‖ left ‖ right)
//   signed   Ed25519 over the canonical JSON of a statement
//   keys     entry 0 introduces the first key; each later one is endorsed by the one before it

import * as crypto from 'node:crypto'
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflateRawSync } from 'node:zlib'

export const nothingBefore = '0'.repeat(64)

// ── canonical JSON ──────────────────────────────────────────────────────────────────────────────────────────────────

/** RFC 8785: keys in UTF-16 order, numbers and strings as ECMAScript writes them. Refuses what JSON cannot hold. */
export function canonical(value, depth = 0) {
  if (depth > 200) throw new TypeError('nested too deeply for the record')
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} cannot stand on the record`)
    return JSON.stringify(value)
  }
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} cannot stand on the record`)
  let text = ''
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) text += `${at === 0 ? '' : ','}${canonical(value[at], depth + 1)}`
    return `[${text}]`
  }
  for (const key of inOrder(Object.keys(value))) {
    text += `${text === '' ? '' : ','}${quotedKey(key)}:${canonical(value[key], depth + 1)}`
  }
  return `{${text}}`
}

function quoted(text) {
  if (!text.isWellFormed()) throw new TypeError('half a character (lone surrogate) cannot stand on the record')
  return JSON.stringify(text)
}

// The same few names stand in every entry, and an entry is written at every step of every run.
const quotedKeys = new Map()

function quotedKey(key) {
  const known = quotedKeys.get(key)
  if (known !== undefined) return known
  const text = quoted(key)
  if (quotedKeys.size < 500) quotedKeys.set(key, text)
  return text
}

/** By insertion where there are few, which is nearly always: the general sort takes longer than all the rest. */
function inOrder(keys) {
  if (keys.length > 40) return keys.sort()
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at]
    let place = at
    for (; place > 0 && keys[place - 1] > key; place--) keys[place] = keys[place - 1]
    keys[place] = key
  }
  return keys
}

// ── hashes and the tree ─────────────────────────────────────────────────────────────────────────────────────────────

// The one-shot form is twice as quick where it exists (Node 20.12 and newer).
const sha256 = crypto.hash
  ? bytes => crypto.hash('sha256', bytes, 'hex')
  : bytes => createHash('sha256').update(bytes).digest('hex')

let leafBuffer = Buffer.alloc(64 * 1024)

/** The hash of an entry: it seals the entry's text and all that went before. */
export function leafHash(previous, entry) {
  const most = 33 + entry.length * 3
  if (leafBuffer.length < most) leafBuffer = Buffer.alloc(most)
  leafBuffer[0] = 0
  leafBuffer.write(previous, 1, 32, 'hex')
  return sha256(leafBuffer.subarray(0, 33 + leafBuffer.write(entry, 33, 'utf8')))
}

const nodeBuffer = Buffer.alloc(65, 1)

export function nodeHash(left, right) {
  nodeBuffer.write(left, 1, 32, 'hex')
  nodeBuffer.write(right, 33, 32, 'hex')
  return sha256(nodeBuffer)
}

export const textHash = text => sha256(Buffer.from(text, 'utf8'))

/** The tree of everything pushed so far, kept as the roots of its full subtrees: small, and a root at any moment. */
export class Frontier {
  size = 0
  /** Level → root of the full subtree of 2^level leaves at the right edge, where there is one. */
  #peaks = []

  #onSubtree

  /** `onSubtree(level, place, root)` is told of every full subtree once it is complete. */
  constructor(onSubtree = null) {
    this.#onSubtree = onSubtree
  }

  /** Adds a leaf, or the root of a full subtree of 2^level leaves. */
  push(added, level = 0) {
    let hash = added
    let height = level
    let place = this.size / 2 ** level
    this.#onSubtree?.(height, place, hash)
    for (; place % 2 === 1; this.#onSubtree?.(height, place, hash)) {
      hash = nodeHash(this.#peaks[height], hash)
      height++
      place = Math.floor(place / 2)
    }
    this.#peaks[height] = hash
    this.size += 2 ** level
  }

  clone() {
    const copy = new Frontier(this.#onSubtree)
    copy.size = this.size
    copy.#peaks = [...this.#peaks]
    return copy
  }

  root() {
    let hash = null
    for (let level = 0, rest = this.size; rest > 0; level++, rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) hash = hash === null ? this.#peaks[level] : nodeHash(this.#peaks[level], hash)
    }
    return hash ?? sha256(Buffer.alloc(0))
  }
}

/** The root that an inclusion proof (RFC 9162, 2.1.3.2) leads to, or null when it has the wrong length. */
export function rootOfProof(leaf, index, size, path) {
  if (!(index >= 0 && index < size)) return null
  let hash = leaf
  let node = index
  let last = size - 1
  for (const sibling of path) {
    if (last === 0) return null
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash)
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2)
        last = Math.floor(last / 2)
      }
    } else {
      hash = nodeHash(hash, sibling)
    }
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? hash : null
}

// ── keys and signatures ─────────────────────────────────────────────────────────────────────────────────────────────

/** A key's fingerprint: SHA-256 of its 32 raw bytes. */
export const fingerprint = publicKey => sha256(Buffer.from(publicKey, 'base64'))

const ed25519Header = Buffer.from('302a300506032b6570032100', 'hex')

/** `publicKey` in base64: the 32 raw bytes, or the whole SPKI structure. */
export function signatureHolds(statement, publicKey, signature) {
  try {
    const bytes = Buffer.from(publicKey, 'base64')
    const spki = bytes.length === 32 ? Buffer.concat([ed25519Header, bytes]) : bytes
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    return verifySignature(null, Buffer.from(canonical(statement)), key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

export const checkpointStatement = ({ at, key, log, root, size }) => ({ at, key, log, root, size, type: 'checkpoint' })
export const keyStatement = (log, publicKey) => ({ log, publicKey, type: 'key' })
export const tombstoneStatement = ({ at, before, count, first, key, last, log, reason, root, stretches }) => ({
  at,
  before,
  count,
  first,
  key,
  last,
  log,
  reason,
  root,
  stretches,
  type: 'tombstone',
})

/** The keys that the record itself introduces, each endorsed by its predecessor; `log` is the hash of entry 0. */
export class KeyRing {
  log = null
  keys = new Map()
  current = null

  /** Takes a `key.created` or `key.rotated` entry; returns what is wrong with it, or null. */
  learn(entry, hash) {
    const { publicKey, endorsement } = entry.details ?? {}
    if (typeof publicKey !== 'string') return 'names no key'
    const id = fingerprint(publicKey)
    if (entry.seq === 0) {
      this.log = hash
    } else if (!this.current || !signatureHolds(keyStatement(this.log, publicKey), this.current, endorsement ?? '')) {
      return 'introduces a key that the key before it did not endorse'
    }
    this.keys.set(id, publicKey)
    this.current = publicKey
    return null
  }

  signed(statement, signature) {
    const publicKey = this.keys.get(statement.key)
    return publicKey !== undefined && statement.log === this.log && signatureHolds(statement, publicKey, signature)
  }
}

// ── walking the chain ───────────────────────────────────────────────────────────────────────────────────────────────

const mostFindings = 1000

// Canonical order puts these first, so what every entry is asked for is read without parsing it.
const beginning = /^\{"action":"([^"]*)","actor":(?:"[^"]*"|null),"at":(\d+)(?:,"bodies":\{([^{}]*)\})?/

/**
 * Takes the entries of a record one by one, in order, and collects what is wrong. Feed it the rows as they are stored:
 * `{ seq, hash, entry }`, where `entry` is the canonical text, or null where retention emptied the row.
 */
export class ChainCheck {
  findings = []
  keyring = new KeyRing()
  tree
  /** Reviewers' signatures that hold. */
  decisions = 0
  /** Hash of a text → the first entry that refers to it. */
  bodies = new Map()
  emptied = []
  checked = 0
  /** How often the clock was set back, by how much at most, and where first. */
  clock = { setBack: 0, mostMs: 0, seq: null }
  #previous = nothingBefore
  #expected = 0
  #checkpoints
  /** First and last of what signed tombstones say was emptied. */
  #emptiable = []
  #displaced = null
  /** Identity → the public key with which the record introduced it. */
  #people = new Map()
  /** Until something is wrong the text need not be parsed: the hash speaks for it. */
  #suspicious = false
  #lastGood = 0
  #lastTime = 0
  #next = 0
  #rewritten = false

  #onBody

  /**
   * `checkpoints` come from the record and from wherever else they were kept. `onBody(hash, seq)` is told of every text
   * that an entry refers to; without it they are gathered in `bodies`. `onSubtree` is told of full subtrees.
   */
  constructor(checkpoints = [], { onBody = null, onSubtree = null } = {}) {
    this.tree = new Frontier(onSubtree)
    this.#onBody = onBody ?? ((hash, seq) => this.bodies.has(hash) || this.bodies.set(hash, seq))
    const distinct = new Map(
      checkpoints.map(each => [`${JSON.stringify(checkpointStatement(each))} ${each.signature}`, each]),
    )
    this.#checkpoints = [...distinct.values()].sort((a, b) => a.size - b.size)
  }

  take({ seq, hash, entry }) {
    if (seq !== this.#expected) {
      this.#suspicious = true
      if (seq > this.#expected) {
        const last = seq - 1
        this.find('removed', `${range(this.#expected, last)} missing.`, this.#expected, last)
      } else {
        this.find('inserted', `Number ${seq} stands on the record twice.`, seq)
      }
    }
    this.checked++
    if (entry === null) {
      this.emptied.push(seq)
    } else {
      const sealed = leafHash(this.#previous, entry)
      if (sealed !== hash) {
        this.#suspicious = true
        this.#explainMismatch(seq, entry)
      }
      if (this.#suspicious) this.#noteDisplacement(seq, entry)
      this.#learnFrom(seq, hash, entry)
    }
    this.tree.push(hash)
    this.#previous = hash
    this.#expected = seq + 1
    this.#meetCheckpoints()
  }

  /** For an entry that stands outside its chain: its neighbours are not here, so `previous` comes with it. */
  takeAlone({ seq, hash, previous, entry }) {
    this.checked++
    if (leafHash(previous, entry) !== hash) this.#explainMismatch(seq, entry)
    this.#learnFrom(seq, hash, entry)
  }

  /** Call when there are no more entries. `hasBody(hash)` says whether a body is there and whole. */
  finish({ hasBody = null } = {}) {
    this.#reportDisplacement()
    for (const checkpoint of this.#checkpoints.slice(this.#next)) {
      if (!this.#signatureOf(checkpoint)) continue
      this.find(
        'truncated',
        `The record ends at entry ${this.tree.size - 1}, but a signed checkpoint of ${time(checkpoint.at)} covers ${checkpoint.size} entries: its end was cut off, or an older copy was put back.`,
        this.tree.size,
        checkpoint.size - 1,
      )
      break
    }
    this.#checkEmptied()
    if (hasBody) {
      for (const [hash, seq] of this.bodies) {
        const state = hasBody(hash)
        if (state !== 'whole') this.findBody(hash, state, seq)
      }
    }
    return this.findings
  }

  findNoCheckpoint() {
    this.find('checkpoint', 'No signed checkpoint is there: nothing speaks for these entries.', 0)
  }

  findBody(hash, state, seq) {
    const words = state === 'changed' ? 'was changed' : 'is missing'
    this.find('body', `A text that entry ${seq} refers to (${hash.slice(0, 16)}…) ${words}.`, seq)
  }

  find(kind, message, seq = null, last = seq) {
    if (this.findings.length < mostFindings) this.findings.push({ kind, message, seq, last })
  }

  #learnFrom(seq, hash, entry) {
    const [, action = '', at = '0', bodies = ''] = beginning.exec(entry) ?? []
    if (action === 'key.created' || action === 'key.rotated') this.#learnKey(seq, hash, entry)
    if (action === 'audit.pruned') this.#learnTombstone(seq, entry)
    if (action === 'identity.created') this.#learnIdentity(entry)
    if (action === 'approval.decided') this.#checkDecision(seq, entry)
    if (bodies !== '') this.#noteBodies(seq, bodies)
    this.#noteTime(seq, Number(at))
  }

  #explainMismatch(seq, entry) {
    const claimed = claimedSeq(entry)
    if (claimed === seq)
      this.find('changed', `Entry ${seq} is not what was recorded: its text and its hash differ.`, seq)
    else if (claimed === null) this.find('changed', `Entry ${seq} cannot be read: its text was damaged.`, seq)
  }

  #noteDisplacement(seq, entry) {
    const claimed = claimedSeq(entry)
    if (claimed === null) return
    const by = seq - claimed
    if (this.#displaced?.by === by) this.#displaced.last = seq
    else {
      this.#reportDisplacement()
      this.#displaced = by === 0 ? null : { by, first: seq, last: seq, claimed }
    }
  }

  #reportDisplacement() {
    const moved = this.#displaced
    this.#displaced = null
    if (!moved) return
    const { by, first, last, claimed } = moved
    if (first === last) this.find('reordered', `Entry ${claimed} stands at place ${first}.`, first)
    else if (by > 0)
      this.find('inserted', `${by} entr${by === 1 ? 'y was' : 'ies were'} put in before place ${first}.`, first)
    else this.find('removed', `${-by} entr${by === -1 ? 'y was' : 'ies were'} taken out before place ${first}.`, first)
  }

  #learnKey(seq, hash, text) {
    const entry = parse(text)
    const wrong = entry ? this.keyring.learn(entry, hash) : 'cannot be read'
    if (wrong) this.find('key', `Entry ${seq} ${wrong}.`, seq)
  }

  #learnTombstone(seq, text) {
    const { signature, ...statement } = parse(text)?.details ?? {}
    const { stretches } = statement
    if (Array.isArray(stretches) && this.keyring.signed(tombstoneStatement(statement), signature))
      this.#emptiable.push(...stretches)
    else this.find('tombstone', `Entry ${seq} removes entries, but its signature does not hold.`, seq)
  }

  #learnIdentity(text) {
    const { identity, publicKey } = parse(text)?.details ?? {}
    if (typeof identity === 'string' && typeof publicKey === 'string') this.#people.set(identity, publicKey)
  }

  /** A reviewer's decision carries its own signature, made with the key with which the record introduced the reviewer. */
  #checkDecision(seq, text) {
    const { details } = parse(text) ?? {}
    const { format, verdict, request, subject, reviewer, comment, decidedAt, publicKey, signature } = details ?? {}
    const statement = { format, verdict, request, subject, reviewer, comment, decidedAt }
    const introduced = this.#people.get(reviewer) ?? publicKey
    if (introduced === publicKey && signatureHolds(statement, publicKey ?? '', signature ?? '')) this.decisions++
    else this.find('changed', `The reviewer's signature in entry ${seq} does not hold.`, seq)
  }

  /** `"name":"hash","name":"hash"`; names hold neither quotes nor colons. */
  #noteBodies(seq, text) {
    for (let at = text.indexOf(':"'); at >= 0; at = text.indexOf(':"', at + 66)) {
      this.#onBody(text.slice(at + 2, at + 66), seq)
    }
  }

  #noteTime(seq, at) {
    const back = this.#lastTime - at
    if (back > 0) {
      this.clock.setBack++
      this.clock.mostMs = Math.max(this.clock.mostMs, back)
      this.clock.seq ??= seq
    }
    this.#lastTime = at
  }

  #signatureOf(checkpoint) {
    if (this.keyring.signed(checkpointStatement(checkpoint), checkpoint.signature)) return true
    const other = checkpoint.log !== this.keyring.log ? ' (it speaks of another record)' : ''
    this.find(
      'checkpoint',
      `The signature of the checkpoint over ${checkpoint.size} entries does not hold${other}.`,
      checkpoint.size - 1,
    )
    return false
  }

  #meetCheckpoints() {
    for (; this.#next < this.#checkpoints.length; this.#next++) {
      const checkpoint = this.#checkpoints[this.#next]
      if (checkpoint.size > this.tree.size) return
      if (checkpoint.size < this.tree.size) continue
      if (!this.#signatureOf(checkpoint)) continue
      if (checkpoint.root === this.tree.root()) {
        if (!this.#rewritten) this.#lastGood = checkpoint.size
      } else if (!this.#rewritten) {
        // Every later checkpoint differs too; the first one says where.
        this.#rewritten = true
        this.find(
          'rewritten',
          `${range(this.#lastGood, checkpoint.size - 1)} not what was signed at the checkpoint of ${time(checkpoint.at)}: one or more were changed, removed, inserted or reordered.`,
          this.#lastGood,
          checkpoint.size - 1,
        )
      }
    }
  }

  #checkEmptied() {
    const bare = outside(this.emptied, this.#emptiable)
    let start = null
    for (const [place, seq] of bare.entries()) {
      start ??= seq
      if (bare[place + 1] === seq + 1) continue
      this.find('removed', `${range(start, seq)} emptied without a signed tombstone.`, start, seq)
      start = null
    }
  }
}

/** The numbers, in ascending order, that lie in none of the stretches. One pass: a year of retention has many of both. */
function outside(numbers, stretches) {
  const sorted = [...stretches].sort((a, b) => a[0] - b[0])
  let covered = -1
  let next = 0
  return [...numbers]
    .sort((a, b) => a - b)
    .filter(number => {
      for (; next < sorted.length && sorted[next][0] <= number; next++) covered = Math.max(covered, sorted[next][1])
      return number > covered
    })
}

const range = (first, last) => (first === last ? `Entry ${first} is` : `Entries ${first} to ${last} are`)
export const time = at => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
const parse = text => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
const claimedSeq = text => {
  const entry = parse(text)
  return Number.isInteger(entry?.seq) ? entry.seq : null
}

// ── bundles ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const mostFiles = 2_000_000
const mostBytes = 16 * 2 ** 30
const largestFile = 2 ** 30

/** A bundle that must not be read at all: unsafe names, a bomb, not a bundle. */
export class BadBundle extends Error {}

/** Opens a bundle (zip or folder) without writing anything anywhere. Reads each file when it is asked for. */
export function openBundle(place) {
  return lstatSync(place).isDirectory() ? openFolder(place) : openZip(place)
}

function safeName(name) {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(name) && name.length < 256) return name
  throw new BadBundle(
    `The bundle holds a file with an unsafe name (${JSON.stringify(name.slice(0, 80))}). Nothing was read from it.`,
  )
}

function openFolder(root) {
  const names = []
  const walk = folder => {
    for (const each of readdirSync(join(root, folder), { withFileTypes: true })) {
      const name = safeName(folder ? `${folder}/${each.name}` : each.name)
      if (each.isDirectory()) walk(name)
      else if (each.isFile()) names.push(name)
      else throw new BadBundle(`The bundle holds something that is not a file (${name}).`)
      if (names.length > mostFiles) throw new BadBundle('The bundle holds too many files.')
    }
  }
  walk('')
  const known = new Set(names)
  return { names, read: name => (known.has(name) ? readFileSync(join(root, name)) : null), close() {} }
}

function openZip(file) {
  const fd = openSync(file, 'r')
  const bytes = (start, length) => {
    const buffer = Buffer.alloc(length)
    if (readSync(fd, buffer, 0, length, start) !== length) throw new BadBundle('The bundle ends too early.')
    return buffer
  }
  try {
    const files = readDirectory(bytes, fstatSync(fd).size)
    return {
      names: [...files.keys()],
      read(name) {
        const known = files.get(name)
        if (!known) return null
        const local = bytes(known.offset, 30)
        if (local.readUInt32LE(0) !== 0x04034b50) throw new BadBundle(`${name} is not where the bundle says.`)
        const start = known.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
        const packed = bytes(start, known.packed)
        if (known.method === 0) return packed
        try {
          return inflateRawSync(packed, { maxOutputLength: Math.max(1, known.size) })
        } catch {
          throw new BadBundle(`${name} does not unpack to what the bundle says.`)
        }
      },
      close: () => closeSync(fd),
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** The list of files at the end of a zip, checked before any of them is opened. */
function readDirectory(bytes, length) {
  const tail = bytes(Math.max(0, length - 65557), Math.min(length, 65557))
  const end = tail.lastIndexOf(Buffer.from('504b0506', 'hex'))
  if (end < 0) throw new BadBundle('This is not a zip file.')
  let count = tail.readUInt16LE(end + 10)
  let size = tail.readUInt32LE(end + 12)
  let offset = tail.readUInt32LE(end + 16)
  if (end >= 20 && tail.readUInt32LE(end - 20) === 0x07064b50) {
    const wide = bytes(Number(tail.readBigUInt64LE(end - 12)), 56)
    count = Number(wide.readBigUInt64LE(32))
    size = Number(wide.readBigUInt64LE(40))
    offset = Number(wide.readBigUInt64LE(48))
  }
  if (count > mostFiles || size > length) throw new BadBundle('The bundle holds too many files.')
  const list = bytes(offset, size)
  const files = new Map()
  let total = 0
  for (let at = 0, left = count; left > 0; left--) {
    if (at + 46 > list.length || list.readUInt32LE(at) !== 0x02014b50)
      throw new BadBundle('The list of files is damaged.')
    const nameLength = list.readUInt16LE(at + 28)
    const name = safeName(list.toString('utf8', at + 46, at + 46 + nameLength))
    const known = {
      method: list.readUInt16LE(at + 10),
      packed: list.readUInt32LE(at + 20),
      size: list.readUInt32LE(at + 24),
      offset: list.readUInt32LE(at + 42),
    }
    total += known.size
    if (list.readUInt16LE(at + 8) & 1) throw new BadBundle(`${name} is encrypted.`)
    if (known.method !== 0 && known.method !== 8) throw new BadBundle(`${name} is packed in an unknown way.`)
    if (
      known.size > largestFile ||
      known.packed > length ||
      total > mostBytes ||
      known.size > 1032 * known.packed + 1024
    ) {
      throw new BadBundle(
        `${name} would unpack to far more than it should: this looks like a zip bomb. Nothing was unpacked.`,
      )
    }
    if (files.has(name)) throw new BadBundle(`${name} is in the bundle twice.`)
    files.set(name, known)
    at += 46 + nameLength + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32)
  }
  return files
}

export const bundleStatement = ({ signature, ...statement }) => ({ ...statement, type: 'bundle' })

/** Checks a bundle from end to end. `against` are checkpoints from elsewhere, `trust` a fingerprint known beforehand. */
export function verifyBundle(bundle, { against = [], trust = null } = {}) {
  const manifest = parse(String(bundle.read('manifest.json') ?? ''))
  if (manifest?.format !== 1 || typeof manifest.files !== 'object') {
    throw new BadBundle('This is not a Countersign audit bundle: it has no manifest that can be read.')
  }
  const checkpoints = linesOf(bundle.read('checkpoints.jsonl')).map(line => line.value)
  const whole = manifest.whole === true
  const check = new ChainCheck(whole ? [...checkpoints, ...against].filter(Boolean) : [])
  checkFiles(bundle, manifest, check)
  checkAnalyses(bundle, check)
  if (whole) walkWhole(bundle, check)
  else walkSelection(bundle, manifest, check)
  if (checkpoints.length === 0) check.findNoCheckpoint()
  for (const message of manifest.damage ?? []) check.find('bundle', `When it was exported: ${message}`)
  const withheld = new Set(manifest.withheld ?? [])
  check.finish({ hasBody: hash => bodyState(bundle, hash, withheld) })
  const { keyring } = check
  if (check.checked !== manifest.entries?.count) {
    check.find('removed', `The bundle holds ${check.checked} entries, but was signed for ${manifest.entries?.count}.`)
  }
  if (!keyring.signed(bundleStatement(manifest), manifest.signature))
    check.find('bundle', 'The signature of the manifest does not hold.')
  const firstKey = keyring.keys.keys().next().value ?? null
  if (trust !== null && trust !== firstKey)
    check.find('key', `The record begins with another key (${firstKey}) than the trusted one.`)
  return {
    ok: check.findings.length === 0,
    whole,
    entries: check.checked,
    emptied: check.emptied.length,
    checkpoints: checkpoints.length,
    bodies: check.bodies.size,
    decisions: check.decisions,
    root: whole ? check.tree.root() : (manifest.checkpoint?.root ?? ''),
    firstKey,
    findings: check.findings,
    notices: [
      ...(check.clock.setBack > 0
        ? [`The clock was set back (${check.clock.setBack} times, first at entry ${check.clock.seq}).`]
        : []),
      ...(withheld.size > 0 ? [`${withheld.size} texts were left out of the bundle by the privacy policy.`] : []),
      ...(trust === null
        ? ['Compare the fingerprint of the first key with one that you know from elsewhere (--trust).']
        : []),
    ],
  }
}

function checkFiles(bundle, manifest, check) {
  const listed = new Map(Object.entries(manifest.files))
  for (const name of bundle.names) {
    if (name === 'manifest.json' || listed.has(name)) continue
    check.find('bundle', `${name} was added to the bundle.`)
  }
  for (const [name, expected] of listed) {
    const content = bundle.read(name)
    if (content === null) check.find('bundle', `${name} was removed from the bundle.`)
    else if (sha256(content) !== expected) check.find('bundle', `${name} is not the file that was signed.`)
  }
}

/** The files of an analysis in the order of its hash. */
const analysisFiles = ['analysis.yaml', 'parameters.yaml', 'code.py', 'examples.yaml']

/** Hashes of analyses that entries name as what ran. */
function namedAnalyses(bundle) {
  const named = new Set()
  // Lines that cannot be read are told of where the chain is walked.
  for (const { entry } of entriesOf(bundle, { find: () => undefined })) {
    const hash = entry?.action === 'run.intended' ? entry.details?.analysis?.sha256 : undefined
    if (typeof hash === 'string') named.add(hash)
  }
  return named
}

/** The texts of an analysis must be those that its hash on the record is over. */
function checkAnalyses(bundle, check) {
  const folders = bundle.names.filter(name => name.startsWith('analyses/')).map(name => name.split('/')[1])
  if (folders.length === 0) return
  const named = namedAnalyses(bundle)
  for (const hash of new Set(folders)) {
    const lines = analysisFiles.map(file => `${file}\0${sha256(bundle.read(`analyses/${hash}/${file}`) ?? '')}\n`)
    if (!named.has(hash)) check.find('bundle', `No entry names the analysis ${hash}.`)
    else if (sha256(lines.join('')) !== hash)
      check.find('bundle', `The texts of the analysis ${hash} are not those that the record names.`)
  }
}

function* entriesOf(bundle, check) {
  for (const name of bundle.names.filter(each => each.startsWith('entries/')).sort()) {
    for (const { value, number } of linesOf(bundle.read(name))) {
      if (value && Number.isInteger(value.seq ?? value.entry?.seq) && typeof value.hash === 'string') yield value
      else check.find('changed', `Line ${number} of ${name} cannot be read.`)
    }
  }
}

function walkWhole(bundle, check) {
  let place = 0
  for (const { seq, hash, entry } of entriesOf(bundle, check)) {
    check.take({ seq: entry ? place : seq, hash, entry: entry ? canonical(entry) : null })
    place = (entry ? place : seq) + 1
  }
}

/** Entries chosen from the record: each must lead to the signed root by its own proof. */
function walkSelection(bundle, manifest, check) {
  const proofs = new Map()
  for (const name of bundle.names.filter(each => each.startsWith('proofs/'))) {
    for (const { value } of linesOf(bundle.read(name))) if (value) proofs.set(value.seq, value.path)
  }
  const { checkpoint } = manifest
  let last = null
  for (const { hash, previous, entry } of entriesOf(bundle, check)) {
    const { seq } = entry
    if (last !== null && seq <= last.seq) check.find('reordered', `Entry ${seq} comes after entry ${last.seq}.`, seq)
    check.takeAlone({ seq, hash, previous, entry: canonical(entry) })
    const path = proofs.get(seq)
    const proven = Array.isArray(path) && rootOfProof(hash, seq, checkpoint?.size ?? 0, path) === checkpoint?.root
    if (!proven)
      check.find(
        'changed',
        `Entry ${seq} does not lead to the signed root: it is not on the record as it stands here.`,
        seq,
      )
    if (last?.seq === seq - 1 && last.hash !== previous)
      check.find('changed', `Entry ${seq} does not follow entry ${seq - 1}.`, seq)
    last = { seq, hash }
  }
  if (!checkpoint || !check.keyring.signed(checkpointStatement(checkpoint), checkpoint.signature)) {
    check.find('checkpoint', 'The signature of the checkpoint does not hold.')
  }
}

function bodyState(bundle, hash, withheld) {
  if (withheld.has(hash)) return 'whole'
  const content = bundle.read(`bodies/${hash.slice(0, 2)}/${hash}.txt`)
  if (content === null) return 'missing'
  return sha256(content) === hash ? 'whole' : 'changed'
}

function linesOf(content) {
  const lines = String(content ?? '').split('\n')
  return lines
    .map((line, at) => ({ value: parse(line), number: at + 1, line }))
    .filter(({ line }) => line.trim() !== '')
}

// ── on the command line ─────────────────────────────────────────────────────────────────────────────────────────────

function main(args) {
  const value = name => {
    const at = args.indexOf(name)
    return at < 0 ? null : args.splice(at, 2)[1]
  }
  const trust = value('--trust')
  const against = value('--against')
  const json = args.includes('--json')
  const [place] = args.filter(each => !each.startsWith('--'))
  if (!place || args.includes('--help')) {
    console.error(
      'usage: node verify.mjs BUNDLE.zip|FOLDER [--trust FINGERPRINT] [--against CHECKPOINTS.jsonl] [--json]',
    )
    return 2
  }
  try {
    const bundle = openBundle(place)
    const kept = against ? linesOf(readFileSync(against)).flatMap(({ value }) => (value ? [value] : [])) : []
    const result = verifyBundle(bundle, { trust, against: kept })
    bundle.close()
    console.log(json ? JSON.stringify(result) : summaryOf(result))
    return result.ok ? 0 : 1
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (json) console.log(JSON.stringify({ ok: false, findings: [{ kind: 'bundle', message, seq: null, last: null }] }))
    console.error(message)
    return error instanceof BadBundle ? 1 : 2
  }
}

export function summaryOf(result) {
  const scope = result.whole === false ? 'chosen entries' : 'entries, the whole record'
  return [
    result.ok ? 'INTACT: everything is as it was recorded.' : `DAMAGED: ${result.findings.length} finding(s).`,
    ...result.findings.slice(0, 50).map(({ kind, message }) => `  ${kind.padEnd(10)} ${message}`),
    ...(result.findings.length > 50 ? [`  … and ${result.findings.length - 50} more`] : []),
    `${result.entries} ${scope}; ${result.emptied} emptied by retention; ${result.checkpoints} checkpoints; ${result.bodies} texts`,
    `root       ${result.root}`,
    `first key  ${result.firstKey}`,
    ...result.notices.map(notice => `note: ${notice}`),
  ].join('\n')
}

// Only when started by this name: the application imports this file too, and may be bundled into one of its own.
const started = process.argv[1] ? basename(realpathOf(process.argv[1])) : ''
if (started === 'verify.mjs' && basename(fileURLToPath(import.meta.url)) === 'verify.mjs') {
  process.exitCode = main(process.argv.slice(2))
}

function realpathOf(file) {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
